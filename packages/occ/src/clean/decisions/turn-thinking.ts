import type { Transcript } from '@openbot/sessions';
import { type Context, FLAG, leafOf, type Turn } from '@openbot/sessions/transcript';
import { isLeftWithNothing } from '../empty-message.ts';
import { NO_CALL, type PairedCalls } from '../pair-calls.ts';
import type { LineReader } from '../plan.ts';
import { type CallActions, REMOVE, TRUNCATE } from './call-actions.ts';
import { ContextStretches, type Stretch } from './context-stretches.ts';
import { hasWordsBeforeThinking } from './words-before-thinking.ts';

/**
 * Decides about thinking. Providers read neighbouring messages of the assistant as one and want its thinking first, so
 * the thinking of a turn goes with the calls of the turn. It stays in a message of which a call stays, since an open
 * exchange is refused without it, and where words have their place in the tree through it.
 */
export class TurnThinking {
  readonly #transcript: Transcript;
  readonly #path: readonly number[];
  readonly #pairs: PairedCalls;
  readonly #ofCall: Uint8Array;
  readonly #openFrom: number | undefined;
  readonly #neededMessages: ReadonlySet<number>;
  readonly #actions: CallActions;
  /** Positions of results without a call that stay. */
  readonly #keptOrphans = new Set<number>();
  readonly #readLine: LineReader;
  readonly #edits: Context['edits'];
  readonly #stretches: ContextStretches;
  /** By position: 1 where thinking stays even if the calls of its turn are removed. */
  #stays: Uint8Array;

  constructor(
    transcript: Transcript,
    path: readonly number[],
    turns: readonly Turn[],
    context: Context,
    pairs: PairedCalls,
    actions: CallActions,
    readLine: LineReader,
  ) {
    this.#transcript = transcript;
    this.#path = path;
    this.#pairs = pairs;
    this.#ofCall = actions.ofCall;
    this.#readLine = readLine;
    this.#edits = context.edits;
    this.#stretches = new ContextStretches(transcript.length, path, turns, context);
    this.#openFrom = actions.openFrom;
    this.#neededMessages = actions.neededMessages;
    this.#actions = actions;
    this.#stays = new Uint8Array(path.length);
  }

  /**
   * Where words would be left before thinking that stays, the calls that were to go are shortened instead: their results
   * stay in between. To be called before anything else is asked.
   */
  keepFirst(): void {
    // A call that stays may belong to another turn, whose thinking then stays too.
    let isSettled = false;
    while (!isSettled) {
      isSettled = true;
      this.#stays = this.#findStaying();
      this.#keepMessagesWhole();
      for (const stretch of this.#stretches.all) {
        const going = this.#callsGoing(stretch);
        const orphans = this.#orphansGoing(stretch);
        if (going.length + orphans.length === 0 || !this.#hasWordsBeforeThinking(stretch)) continue;
        for (const call of going) this.#ofCall[call] = TRUNCATE;
        for (const position of orphans) this.#keptOrphans.add(position);
        isSettled = false;
      }
    }
  }

  /** Entries whose thinking goes with the calls of their turn. */
  *goes(): Generator<number> {
    for (const stretch of this.#stretches.all) {
      if (!this.#callsIn(stretch).includes(REMOVE)) continue;
      for (let position = stretch.first; position < stretch.end; position++) {
        const index = this.#path[position]!;
        if (this.#stays[position] === 0 && this.#transcript.has(index, FLAG.thinking)) yield index;
      }
    }
  }

  /** Whether thinking at a position stays even if the calls of its turn are removed. */
  staysAt(position: number): boolean {
    return this.#stays[position] === 1;
  }

  /** For a result that no call on the path asked for. */
  orphanAt(position: number, order: number): number {
    const action = this.#actions.orphanAt(position, this.#path[position]!, order);
    const mustStay = action === REMOVE && this.#keptOrphans.has(position);
    return mustStay ? this.#actions.keptOrphanAt(position) : action;
  }

  /** Where thinking stays because a call of its message does, the other calls of the message stay too. */
  #keepMessagesWhole(): void {
    const messages = new Set<number>();
    const positions = new Set<number>();
    for (let position = 0; position < this.#path.length; position++) {
      const index = this.#path[position]!;
      if (this.#stays[position] === 0 || !this.#transcript.has(index, FLAG.thinking)) continue;
      positions.add(position);
      const message = this.#transcript.messageOf(index);
      if (message >= 0) messages.add(message);
    }
    if (positions.size === 0) return;
    const { positionOfCall } = this.#pairs;
    for (let call = 0; call < positionOfCall.length; call++) {
      if (this.#ofCall[call] !== REMOVE) continue;
      const position = positionOfCall[call]!;
      const isWhole =
        positions.has(position) ||
        (messages.size > 0 && messages.has(this.#transcript.messageOf(this.#path[position]!)));
      if (isWhole) this.#ofCall[call] = TRUNCATE;
    }
  }

  /** Calls that go from a stretch, or whose results do. */
  #callsGoing({ first, end }: Stretch): number[] {
    const { firstCallAt, firstResultAt, callOfResult } = this.#pairs;
    const going: number[] = [];
    for (let call = firstCallAt[first]!; call < firstCallAt[end]!; call++) {
      if (this.#ofCall[call] === REMOVE) going.push(call);
    }
    for (let result = firstResultAt[first]!; result < firstResultAt[end]!; result++) {
      const call = callOfResult[result]!;
      if (call !== NO_CALL && this.#ofCall[call] === REMOVE) going.push(call);
    }
    return going;
  }

  /** Positions of results without a call that go. */
  #orphansGoing({ first, end }: Stretch): number[] {
    const { firstResultAt, callOfResult } = this.#pairs;
    if (!callOfResult.subarray(firstResultAt[first]!, firstResultAt[end]!).includes(NO_CALL)) return [];
    const going: number[] = [];
    for (let position = first; position < end; position++) {
      const results = callOfResult.subarray(firstResultAt[position]!, firstResultAt[position + 1]!);
      if (results.some((call, order) => call === NO_CALL && this.orphanAt(position, order) === REMOVE))
        going.push(position);
    }
    return going;
  }

  #callsIn({ first, end }: Stretch): Uint8Array {
    const { firstCallAt } = this.#pairs;
    return this.#ofCall.subarray(firstCallAt[first]!, firstCallAt[end]!);
  }

  #findStaying(): Uint8Array {
    const transcript = this.#transcript;
    const path = this.#path;
    const stays = new Uint8Array(path.length);
    const messages = new Set(this.#neededMessages);
    const add = (position: number) => {
      stays[position] = 1;
      const message = transcript.messageOf(path[position]!);
      if (message >= 0) messages.add(message);
    };
    if (this.#openFrom !== undefined) add(this.#openFrom);
    const { positionOfCall } = this.#pairs;
    for (let call = 0; call < this.#ofCall.length; call++) {
      if (this.#ofCall[call] !== REMOVE) add(positionOfCall[call]!);
    }
    const leaf = leafOf(transcript);
    for (let position = 0; position < path.length; position++) {
      const index = path[position]!;
      if (messages.size > 0 && messages.has(transcript.messageOf(index))) stays[position] = 1;
      // The leaf stays, and without its thinking nothing would be left of it.
      else if (index === leaf && transcript.has(index, FLAG.thinking) && this.#isEmptied(index))
        stays[position] = 1;
    }
    return stays;
  }

  #hasWordsBeforeThinking(stretch: Stretch): boolean {
    // A turn of which no call goes keeps its thinking.
    const staysWhole = !this.#callsIn(stretch).includes(REMOVE);
    const thinksAt = (position: number) =>
      (staysWhole || this.#stays[position] === 1) &&
      this.#transcript.has(this.#path[position]!, FLAG.thinking);
    // Mostly there is none; what is left of lines takes longer to find out.
    if (!this.#stretches.hasInContext(stretch, thinksAt)) return false;
    const positions = this.#stretches.contextPositionsIn(stretch);
    const positionOf = new Map(positions.map((position) => [this.#path[position]!, position]));
    const context = { entries: [...positionOf.keys()], edits: this.#edits };
    return hasWordsBeforeThinking(this.#transcript, context, {
      thinks: (index) => thinksAt(positionOf.get(index)!),
      isLeft: (index) => this.#isLeft(positionOf.get(index)!),
    });
  }

  /** Whether anything but thinking stays of an entry. */
  #isLeft(position: number): boolean {
    const index = this.#path[position]!;
    const { firstCallAt, firstResultAt, callOfResult } = this.#pairs;
    const calls = this.#ofCall.subarray(firstCallAt[position]!, firstCallAt[position + 1]!);
    if (calls.some((action) => action !== REMOVE)) return true;
    const results = callOfResult.subarray(firstResultAt[position]!, firstResultAt[position + 1]!);
    const actionAt = (call: number, order: number) =>
      call === NO_CALL ? this.orphanAt(position, order) : this.#ofCall[call];
    if (results.some((call, order) => actionAt(call, order) !== REMOVE)) return true;
    return (
      !(calls.length + results.length > 0 || this.#transcript.has(index, FLAG.thinking)) ||
      !this.#isEmptied(index)
    );
  }

  #isEmptied(index: number): boolean {
    return isLeftWithNothing(this.#transcript, index, this.#readLine);
  }
}

import type { Transcript } from '@openbot/sessions';
import { type Context, FLAG, leafOf, modelMessagesOf, sideOf, type Turn } from '@openbot/sessions/transcript';
import { isLeftWithNothing } from '../empty-message.ts';
import { NO_CALL, type PairedCalls } from '../pair-calls.ts';
import type { LineReader } from '../plan.ts';
import { type CallActions, REMOVE, TRUNCATE } from './call-actions.ts';

/** A stretch of a path, as positions in it. */
interface Stretch {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** Messages of the assistant that are one message to a provider. */
interface Joined {
  begins: 'not yet' | 'with thinking' | 'with words';
  /** Those that have several lines, by number. */
  readonly messages: Set<number>;
}

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
  readonly #orphanAt: CallActions['orphanAt'];
  /** Positions of results without a call that stay. */
  readonly #keptOrphans = new Set<number>();
  readonly #readLine: LineReader;
  /** By index: its number in the context, from 1 on; 0 if it is not in the context. */
  readonly #contextNumber: Int32Array;
  readonly #edits: Context['edits'];
  readonly #stretches: readonly Stretch[];
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
    this.#contextNumber = new Int32Array(transcript.length);
    for (let number = 0; number < context.entries.length; number++) {
      this.#contextNumber[context.entries[number]!] = number + 1;
    }
    this.#stretches = this.#joinTurns(turns);
    this.#openFrom = actions.openFrom;
    this.#neededMessages = actions.neededMessages;
    this.#orphanAt = actions.orphanAt;
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
      for (const stretch of this.#stretches) {
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
    for (const stretch of this.#stretches) {
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
    const action = this.#orphanAt(position, this.#path[position]!, order);
    return action === REMOVE && this.#keptOrphans.has(position) ? TRUNCATE : action;
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
        positions.has(position) || messages.has(this.#transcript.messageOf(this.#path[position]!));
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

  /** Turns. Two turns count as one if the context holds no message of a person between them. */
  #joinTurns(turns: readonly Turn[]): Stretch[] {
    const stretches: { first: number; end: number }[] = [];
    const isInContext = (position: number) => this.#contextNumber[this.#path[position]!]! > 0;
    const isInContextOf = ({ first, end }: Stretch) => {
      for (let position = first; position < end; position++) if (isInContext(position)) return true;
      return false;
    };
    for (const { first, end } of turns) {
      const last = stretches.at(-1);
      if (last !== undefined && !isInContext(first) && isInContextOf(last) && isInContextOf({ first, end }))
        last.end = end;
      else stretches.push({ first, end });
    }
    return stretches;
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
      if (messages.has(transcript.messageOf(index))) stays[position] = 1;
      // The leaf stays, and without its thinking nothing would be left of it.
      else if (index === leaf && transcript.has(index, FLAG.thinking) && this.#isEmptied(index))
        stays[position] = 1;
    }
    return stays;
  }

  /** Whether thinking that stays would be in a message that begins with words, and was in none before. */
  #hasWordsBeforeThinking(stretch: Stretch): boolean {
    const transcript = this.#transcript;
    // A turn of which no call goes keeps its thinking.
    const staysWhole = !this.#callsIn(stretch).includes(REMOVE);
    const thinksAt = (position: number) =>
      (staysWhole || this.#stays[position] === 1) && transcript.has(this.#path[position]!, FLAG.thinking);
    // Mostly there is none; what is left of lines takes longer to find out.
    if (!this.#hasInContext(stretch, thinksAt)) return false;
    const positions = this.#contextPositionsIn(stretch);
    const entries = positions.map((position) => this.#path[position]!);
    const misplaced = new Set(
      modelMessagesOf(transcript, { entries, edits: this.#edits })
        .filter(({ hasThinking, beginsWithThinking }) => hasThinking && !beginsWithThinking)
        .flatMap((message) => message.entries),
    );
    let before: Joined | undefined;
    let current: Joined = { begins: 'not yet', messages: new Set() };
    for (const position of positions) {
      const index = this.#path[position]!;
      const side = sideOf(transcript, index);
      const thinks = side === 'assistant' && thinksAt(position);
      if (side === undefined || (!thinks && !this.#isLeft(position))) continue;
      if (side === 'user') {
        if (current.begins !== 'not yet') before = current;
        current = { begins: 'not yet', messages: new Set() };
        continue;
      }
      // Results may be between the lines of one message.
      const message = transcript.messageOf(index);
      const goesOn = current.begins === 'not yet' && message >= 0 && before?.messages.has(message);
      const joined = goesOn ? before! : current;
      joined.messages.add(message);
      if (joined.begins === 'not yet') {
        const isFirst = thinks && transcript.has(index, FLAG.beginsWithThinking);
        joined.begins = isFirst ? 'with thinking' : 'with words';
      }
      if (thinks && joined.begins === 'with words' && !misplaced.has(index)) return true;
    }
    return false;
  }

  #hasInContext({ first, end }: Stretch, isMeant: (position: number) => boolean): boolean {
    for (let position = first; position < end; position++) {
      if (isMeant(position) && this.#contextNumber[this.#path[position]!]! > 0) return true;
    }
    return false;
  }

  /** The positions of a stretch that are in the context, in its order: a compaction comes before what it kept. */
  #contextPositionsIn({ first, end }: Stretch): number[] {
    const numberOf = (position: number) => this.#contextNumber[this.#path[position]!]!;
    const positions: number[] = [];
    for (let position = first; position < end; position++)
      if (numberOf(position) > 0) positions.push(position);
    return positions.sort((one, other) => numberOf(one) - numberOf(other));
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

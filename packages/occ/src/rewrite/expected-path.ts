import { activePath, type Transcript } from '@openbot/sessions';
import { leafOf } from '@openbot/sessions/transcript';
import { NO_CALL, pairCalls } from '../clean/pair-calls.ts';
import type { Relink, SessionLines } from '../storage/contract/rewriting.ts';

/** What the conversation is to be made of when a backup is put back, by ids. */
export interface ExpectedPath {
  /** Of the backup's conversation. */
  readonly restored: readonly string[];
  /** What was said since, as the session goes on with it. */
  readonly said: readonly string[];
  /** The first line of what was said since must hang from another one, lest the model miss what comes back. */
  readonly relink?: Relink;
  /** Messages of the backup were repeated, but not as a repair does it: what was said since cannot be distinguished from them. */
  readonly isUnclear: boolean;
}

/**
 * Where the conversation leads when it is as the backup has it, and goes on as the session does. A session that went on
 * from an earlier entry than its last one was either rewound by a person, who left what came after it, or written anew by a
 * program: OpenClaw repairs a conversation by repeating its end, with new ids, from an earlier entry on. What it
 * repeated is given up for what comes back. Undefined where it ends in a line
 * without an id: lines follow each other there.
 */
export function expectPath(then: SessionLines, now: SessionLines): ExpectedPath | undefined {
  const before = listPath(then.transcript);
  const current = listPath(now.transcript);
  if (!endsWithId(then.transcript) || !endsWithId(now.transcript)) return undefined;
  const ids = before.map(({ id }) => id);
  const placeOf = new Map(ids.map((id, place) => [id, place]));
  const last = current.findLastIndex(({ id }) => placeOf.has(id));
  const from = last < 0 ? -1 : placeOf.get(current[last]!.id)!;
  const said = current.slice(last + 1).map(({ id }) => id);
  const isGone = (place: number) => now.transcript.indexOf(ids[place]!) === undefined;
  const branched: Branched = { then, now, before, from, said, isGone };
  const repeated = findRepeated(branched);
  const isUnclear = isRepeatedBehind(branched, repeated);
  if (repeated === undefined) {
    // Where nothing was said since there is nothing that could hang from them.
    if (said.length === 0 || from < 0) return { restored: ids.slice(0, from + 1), said, isUnclear };
    const end = findLastAnswer(branched);
    // A restore may have relinked it before: so it stays.
    const parent = end > from ? end : findPlaceAbove(now.transcript, now.transcript.indexOf(said[0]!)!);
    const relink = parent < 0 ? undefined : makeRelink(said[0]!, parent);
    return { restored: ids.slice(0, end + 1), said, ...(relink && { relink }), isUnclear };
  }
  let end = repeated.place;
  while (end + 1 < ids.length && isGone(end + 1)) end++;
  const rest = said.slice(repeated.at + 1);
  if (rest.length > 0) {
    return { restored: ids.slice(0, end + 1), said: rest, relink: makeRelink(rest[0]!, end), isUnclear };
  }
  // The agent will append to the repeated one: it takes the place of the one that it repeats.
  const { place, at } = repeated;
  const holdsCalls = then.transcript.callCountOf(before[place]!.index) > 0;
  if (end > place || holdsCalls || place === 0) return { restored: ids, said, isUnclear };
  return {
    restored: ids.slice(0, place),
    said: [said[at]!],
    relink: makeRelink(said[at]!, place - 1),
    isUnclear,
  };

  function makeRelink(id: string, end: number): Relink {
    return {
      id,
      parentId: ids[end]!,
      isDone: (origin, index) => findPlaceAbove(origin, index) >= end,
    };
  }

  /** The place of the nearest entry above one that the backup's conversation has; -1 where there is none. */
  function findPlaceAbove(origin: Transcript, index: number): number {
    // Links may lead in a circle.
    const seen = new Set<number>();
    let parent = origin.parentOf(index);
    for (; parent >= 0 && !seen.has(parent); parent = origin.parentOf(parent)) {
      const place = placeOf.get(origin.idOf(parent) ?? '');
      if (place !== undefined) return place;
      seen.add(parent);
    }
    return -1;
  }
}

/** The same where lines of what was said since go. */
export function withoutLines(expected: ExpectedPath, gone: ReadonlySet<string> = new Set()): ExpectedPath {
  return { ...expected, said: expected.said.filter((id) => !gone.has(id)) };
}

function endsWithId(transcript: Transcript): boolean {
  const leaf = leafOf(transcript);
  return leaf >= 0 && transcript.idOf(leaf) !== undefined;
}

interface PathEntry {
  readonly index: number;
  readonly id: string;
}

interface Branched {
  readonly then: SessionLines;
  readonly now: SessionLines;
  /** The backup's conversation. */
  readonly before: readonly PathEntry[];
  /** The last place in it that the session's conversation goes through. */
  readonly from: number;
  readonly said: readonly string[];
  /** Whether the session has lost the entry. */
  isGone(place: number): boolean;
}

/** The entries of the conversation that have ids. */
export function listPath(transcript: Transcript): PathEntry[] {
  return activePath(transcript).entries.flatMap((index) => {
    const id = transcript.idOf(index);
    return id === undefined ? [] : [{ index, id }];
  });
}

/** A message that was said since, and the one of the backup that it repeats. */
interface Repeated {
  readonly at: number;
  readonly place: number;
}

/**
 * The last message that was said since which repeats one of the backup's, where all before it do so too, in their order. A
 * program that repairs a conversation may put results between them, for calls that have none.
 */
function findRepeated(branched: Branched): Repeated | undefined {
  const { now, before, from, said } = branched;
  let repeated: Repeated | undefined;
  let next = from + 1;
  for (const [at, id] of said.entries()) {
    if (next >= before.length) break;
    const index = now.transcript.indexOf(id)!;
    if (now.transcript.kindOf(index) !== 'message') continue;
    const place = findPlace(branched, index, next);
    if (place !== undefined) {
      repeated = { place, at };
      next = place + 1;
    } else if (now.transcript.resultCountOf(index) === 0) break;
  }
  return repeated;
}

/** The place of the message that another one repeats, where only entries that are gone since precede it. */
function findPlace({ then, now, before, isGone }: Branched, index: number, next: number): number | undefined {
  for (let place = next; place < before.length; place++) {
    const original = before[place]!.index;
    if (isRepeated(then, original, now, index)) return place;
    if (!isGone(place) && then.transcript.kindOf(original) === 'message') return undefined;
  }
  return undefined;
}

/** Whether more messages of the backup were repeated than those up to `repeated`. */
function isRepeatedBehind({ then, now, before, from, said }: Branched, repeated?: Repeated): boolean {
  const { place, at } = repeated ?? { place: from, at: -1 };
  const originals = new Map<number, number[]>();
  for (const { index } of before.slice(place + 1)) {
    const time = then.transcript.kindOf(index) === 'message' ? readTime(then.readLine(index)) : undefined;
    if (time !== undefined) originals.set(time, [...(originals.get(time) ?? []), index]);
  }
  if (originals.size === 0) return false;
  return said.slice(at + 1).some((id) => {
    const index = now.transcript.indexOf(id)!;
    if (now.transcript.kindOf(index) !== 'message') return false;
    const time = readTime(now.readLine(index));
    const alike = time === undefined ? [] : (originals.get(time) ?? []);
    return alike.some((original) => isRepeated(then, original, now, index));
  });
}

/** A repeated message keeps its time, its words and what it answers; its calls and thinking may have gone. */
function isRepeated(then: SessionLines, original: number, now: SessionLines, index: number): boolean {
  const [a, b] = [then.transcript, now.transcript];
  if (a.kindOf(original) !== 'message' || a.roleOf(original) !== b.roleOf(index)) return false;
  const isSame =
    a.resultCountOf(original) > 0
      ? answersOf(a, original) === answersOf(b, index)
      : a.textSizeOf(original) === b.textSizeOf(index);
  const time = isSame ? readTime(now.readLine(index)) : undefined;
  return time !== undefined && time === readTime(then.readLine(original));
}

function answersOf(transcript: Transcript, index: number): string {
  return JSON.stringify(transcript.resultsOf(index).map(({ callId }) => callId));
}

/** When a message was said; an entry has a time of its own, which is that of its writing. */
function readTime(line: string): number | undefined {
  try {
    const { message } = JSON.parse(line) as { message?: { timestamp?: unknown } | null };
    return typeof message?.timestamp === 'number' ? message.timestamp : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A person may have gone back to a message that had lost its calls. They come back with it, so that their results must
 * be part of the conversation too. The place of the last of those; where another entry is between, there is none.
 */
function findLastAnswer({ then, now, before, from, isGone }: Branched): number {
  const { transcript } = then;
  const { positionOfCall, callOfResult, firstResultAt, firstCallAt } = pairCalls(
    transcript,
    before.map(({ index }) => index),
  );
  let end = from;
  for (let place = from + 1; place < before.length; place++) {
    const { index } = before[place]!;
    if (transcript.kindOf(index) === 'message' && transcript.resultCountOf(index) === 0) break;
    if (!isGone(place)) break;
    for (let result = firstResultAt[place]!; result < firstResultAt[place + 1]!; result++) {
      const call = callOfResult[result]!;
      const asked = call === NO_CALL ? Number.POSITIVE_INFINITY : positionOfCall[call]!;
      if (asked <= from && isNewCall(asked, call - firstCallAt[asked]!)) end = place;
    }
  }
  return end;

  function isNewCall(place: number, order: number): boolean {
    const { index, id } = before[place]!;
    const present = now.transcript.indexOf(id);
    const callId = transcript.callsOf(index)[order]!.id;
    return present !== undefined && !now.transcript.callsOf(present).some((call) => call.id === callId);
  }
}

import { closeSync, openSync, readSync } from 'node:fs';
import { scanTranscriptFile, type Transcript } from '@openbot/sessions';
import { identifyLine } from '../../rewrite/line-identity.ts';
import type { Backup } from '../contract/kept-state.ts';
import type { SessionFile, Stretch } from './later-bytes.ts';

/**
 * What was said since a backup was made, where the journal does not tell: the lines of the session that are none of the
 * backup's, as it has them or in another form. Behind the last line that both have, all of them; before it those that no
 * older backup has either, since what came back with a restore is no news. Undefined when they have no line in common.
 */
export async function findLaterLines(
  backup: Backup,
  older: readonly Backup[],
  session: SessionFile,
): Promise<Stretch[] | undefined> {
  const now = await openState(session.path);
  const old = await openState(backup.path);
  const { transcript } = now;
  const pairs = pairLines(old, now);
  const last = pairs.findLastIndex((pair, index) => pair !== undefined && isLine(transcript, index));
  if (last < 0) return undefined;
  const news = new Set<number>();
  for (let index = 0; index < last; index++) {
    if (pairs[index] === undefined && isLine(transcript, index)) news.add(index);
  }
  for (const index of listRepointed(old.transcript, transcript, pairs)) news.delete(index);
  for (const { path } of news.size === 0 ? [] : older) {
    for (const [index, pair] of pairLines(await openState(path), now).entries()) {
      if (pair !== undefined) news.delete(index);
    }
  }
  const startOf = (index: number) =>
    index < transcript.length ? Math.min(transcript.startOf(index), session.bytes) : session.bytes;
  const found = [...news].map((index) => {
    const next = pairs.find((pair, at) => at > index && pair !== undefined)!;
    const before = old.transcript.startOf(next);
    return { path: session.path, start: startOf(index), end: startOf(index + 1), before };
  });
  const rest = { path: session.path, start: startOf(last + 1), end: session.bytes };
  return rest.start < rest.end ? [...found, rest] : found;
}

interface State {
  readonly path: string;
  readonly transcript: Transcript;
}

async function openState(path: string): Promise<State> {
  return { path, transcript: await scanTranscriptFile(path) };
}

function isLine(transcript: Transcript, index: number): boolean {
  const kind = transcript.kindOf(index);
  return kind !== 'header' && kind !== 'blank';
}

/** For each line of the session, the one of another state that it is or was made of, or that was made of it. */
function pairLines(old: State, now: State): (number | undefined)[] {
  const unpaired = new Map<string, number[]>();
  const olds = listKnown(old);
  for (const [index, line] of olds.entries()) {
    if (line === undefined) continue;
    const alike = unpaired.get(line.key);
    if (alike === undefined) unpaired.set(line.key, [index]);
    else alike.push(index);
  }
  return listKnown(now).map((line) => {
    if (line === undefined) return undefined;
    const candidates = unpaired.get(line.key) ?? [];
    const at = candidates.findIndex((index) => line.isTimed || olds[index]!.size === line.size);
    return at < 0 ? undefined : candidates.splice(at, 1)[0];
  });
}

/** What only refers to other lines, and to others since some of them are gone: known by its kind alone. */
function listRepointed(old: Transcript, now: Transcript, pairs: readonly (number | undefined)[]): number[] {
  const paired = new Set(pairs);
  const left = new Map<string, number>();
  for (let index = 0; index < old.length; index++) {
    if (!isReference(old, index) || paired.has(index)) continue;
    left.set(old.typeOf(index), (left.get(old.typeOf(index)) ?? 0) + 1);
  }
  return [...pairs.keys()].filter((index) => {
    const count = left.get(now.typeOf(index)) ?? 0;
    if (pairs[index] !== undefined || !isReference(now, index) || count === 0) return false;
    left.set(now.typeOf(index), count - 1);
    return true;
  });
}

function isReference(transcript: Transcript, index: number): boolean {
  return transcript.kindOf(index) === 'sidecar' && transcript.idOf(index) === undefined;
}

interface KnownLine {
  /** What no rewrite changes of it. */
  readonly key: string;
  readonly isTimed: boolean;
  /** Of its words, where it has no time by which it is known; those of a result may have been shortened. */
  readonly size: number;
}

/** An id alone does not tell a line: there are programs that give one twice. Undefined for a blank one. */
function listKnown({ path, transcript }: State): (KnownLine | undefined)[] {
  const read = readLineOf(path, transcript);
  return Array.from({ length: transcript.length }, (_, index) => {
    if (transcript.kindOf(index) === 'blank') return undefined;
    const line = read(index);
    const { text, isTimed } = identifyLine(line);
    const id = transcript.idOf(index);
    const isKnown = id !== undefined || (isTimed && transcript.kindOf(index) === 'message');
    const size = transcript.resultCountOf(index) > 0 ? 0 : transcript.textSizeOf(index);
    return isKnown
      ? { key: `${id ?? ''} ${text}`, isTimed, size }
      : { key: line.toString('latin1'), isTimed: false, size: 0 };
  });
}

/** Reads lines of a file as they are there, without their ends. */
export function readLineOf(path: string, transcript: Transcript): (index: number) => Buffer {
  return (index) => {
    const file = openSync(path, 'r');
    try {
      const line = Buffer.alloc(transcript.endOf(index) - transcript.startOf(index));
      readSync(file, line, 0, line.length, transcript.startOf(index));
      return line;
    } finally {
      closeSync(file);
    }
  };
}

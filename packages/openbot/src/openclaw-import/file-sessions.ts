/** Sessions of an OpenClaw up to 2026.7, which are files. */
import { closeSync, constants, copyFileSync, fchmodSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lookIntoSessionStore, resolveSessionFilePath, type StoredSession } from '@openbot/sessions';
import { classifySessionFileName, isSessionId, transcriptFileName } from '@openbot/sessions/layout';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import type { FoundSession, FoundSessions, LeftOut } from './found-session.ts';

/** @param owns whether an entry belongs to the agent: several may share a store */
export function findFileSessions(storePath: string, owns: (key: string) => boolean): FoundSessions {
  const folder = dirname(storePath);
  const leftOut: LeftOut[] = [];
  const names = listFiles(folder);
  const byName = new Map<string, FoundSession>();
  const ofOthers = new Set<string>();
  for (const one of readStore(storePath, leftOut)) {
    const isOwn = owns(one.key);
    const found = findCurrent(one, folder, names, isOwn ? leftOut : []);
    if (found === undefined) continue;
    const taken = byName.get(found.fileName);
    if (!isOwn) ofOthers.add(found.fileName);
    else if (taken === undefined) byName.set(found.fileName, found);
    else leftOut.push({ what: one.key, why: `it has the transcript of ${taken.current!.key}` });
  }
  // Transcripts that no key points to any more.
  for (const name of owns('') ? names : []) {
    const file = classifySessionFileName(name);
    if (file.kind !== 'transcript' && file.kind !== 'topic-transcript') continue;
    if (byName.has(name) || ofOthers.has(name) || !isSessionId(file.sessionId)) continue;
    const path = join(folder, name);
    byName.set(name, { sessionId: file.sessionId, fileName: name, file: path, write: copyOf(path) });
  }
  leftOut.push(...describeOthers(names, folder));
  return { path: storePath, sessions: [...byName.values()], leftOut };
}

function readStore(storePath: string, leftOut: LeftOut[]): readonly StoredSession[] {
  try {
    return lookIntoSessionStore(storePath) ?? [];
  } catch (error) {
    leftOut.push({ what: storePath, why: `it cannot be read: ${(error as Error).message}` });
    return [];
  }
}

function findCurrent(
  { key, entry }: StoredSession,
  folder: string,
  names: ReadonlySet<string>,
  leftOut: LeftOut[],
): FoundSession | undefined {
  const { sessionId } = entry;
  if (!isSessionId(sessionId)) {
    leftOut.push({ what: key, why: 'its session id is not one' });
    return undefined;
  }
  const current = { key, entry };
  try {
    const path = resolveSessionFilePath(sessionId, entry, { sessionsDir: folder });
    const fileName = basename(path);
    if (!names.has(fileName)) return { sessionId, fileName, current };
    return { sessionId, fileName, current, file: path, write: copyOf(path) };
  } catch {
    leftOut.push({ what: key, why: 'its transcript is in another folder than its store' });
    return { sessionId, fileName: transcriptFileName(sessionId), current };
  }
}

function copyOf(from: string): (to: string) => void {
  return (to) => {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const file = openSync(to, 'r+');
    try {
      fchmodSync(file, 0o600);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  };
}

function listFiles(folder: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return new Set(entries.filter((one) => one.isFile()).map(({ name }) => name));
  } catch {
    return new Set();
  }
}

/** In one line for each kind: there may be thousands. */
function describeOthers(names: Iterable<string>, folder: string): LeftOut[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const { kind } = classifySessionFileName(name);
    if (kind in OTHERS) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => {
    const [noun, why] = OTHERS[kind]!;
    return { what: `${formatQuantity(count, noun)} in ${folder}`, why };
  });
}

const OTHERS: Readonly<Record<string, readonly [noun: string, why: string]>> = {
  archive: ['archive', 'they are sessions that were reset or deleted'],
  backup: ['backup', 'they are earlier states of sessions'],
  trajectory: ['trajectory file', 'they are logs of OpenClaw'],
  checkpoint: ['checkpoint', 'they belong to compactions of OpenClaw'],
};

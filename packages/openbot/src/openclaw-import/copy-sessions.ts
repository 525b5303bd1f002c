import { existsSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  OpenBotError,
  openFileSessionStore,
  parseAgentSessionKey,
  resolveStorePath,
} from '@openbot/sessions';
import { linkNew, makeFolder, makeLeftoverPath, sweepLeftovers, syncFolder } from '@openbot/sessions/disk';
import { listSessionKeySpellings } from '@openbot/sessions/key';
import { type Environment, type OpenclawLayout, transcriptFileName } from '@openbot/sessions/layout';
import { readSessionDatabase } from '@openbot/sessions/openclaw-database';
import { whileIdle } from '../kept-sessions/files/in-use.ts';
import { compareTranscripts, continueTranscript, type Standing } from './continue-transcript.ts';
import { convertEntry, mergeEntry } from './convert-entry.ts';
import { findDatabaseSessions } from './database-sessions.ts';
import { findFileSessions } from './file-sessions.ts';
import type { FoundSession, FoundSessions, LeftOut } from './found-session.ts';

/** What became of the sessions of one agent. */
export interface CopiedSessions {
  readonly agentId: string;
  /** Where they are, and where they went. */
  readonly from: readonly string[];
  readonly to: string;
  /** Transcripts that were copied, or would be. */
  readonly transcripts: number;
  /** Entries that were added, or would be. */
  readonly entries: number;
  /** Sessions that were copied before, and that OpenClaw alone has continued since: they have what was added, or would have it. */
  readonly updated: number;
  /** Other sessions that were here already. They are as they were. */
  readonly existing: number;
  readonly leftOut: readonly LeftOut[];
}

interface CopyPlace {
  readonly source: OpenclawLayout;
  readonly stateDir: string;
  /** `session.store` of the configuration here. */
  readonly store?: string;
  readonly env: Environment;
  readonly dryRun: boolean;
}

interface Staged {
  readonly found: FoundSession;
  /** Its transcript, complete, under a name of its own; absent where none is needed or there is none. */
  readonly temp?: string;
  /** Where there is one here already. */
  readonly standing?: Standing;
}

/**
 * Copies the sessions of one agent, from its database and from its files. A transcript appears here whole or not at all, and
 * entries follow when all transcripts are there, so that a copy that was cut off is finished by the next one. What is here
 * is never replaced: a session that OpenClaw alone has continued gets what was added. The source is only read, a database as
 * of one moment.
 */
export async function copySessions(place: CopyPlace, agentId: string): Promise<CopiedSessions> {
  const { source, stateDir, store, env, dryRun } = place;
  const storePath = resolveStorePath(store, { agentId, stateDir, env });
  const folder = dirname(storePath);
  if (!dryRun) {
    await makeFolder(folder);
    sweepLeftovers(folder);
  }
  const leftOut: LeftOut[] = [];
  const staged = new Map<string, Staged>();
  const from: string[] = [];
  const take = (found: FoundSessions, those: readonly Staged[]) => {
    if (found.sessions.length + found.leftOut.length > 0) from.push(found.path);
    leftOut.push(...found.leftOut);
    // One that is in the database and as a file was moved to the database.
    for (const one of those) {
      if (!staged.has(one.found.fileName)) staged.set(one.found.fileName, one);
      else if (one.temp !== undefined) unlinkSync(one.temp);
    }
  };
  const stageAll = ({ sessions }: FoundSessions, faults: LeftOut[]) =>
    sessions.flatMap((found) => stage(found, { folder, dryRun, faults }) ?? []);
  try {
    for (const read of [readDatabase, readFiles]) read(source, agentId, stageAll, take, leftOut);
    const all = [...staged.values()];
    if (!dryRun) await publish(all, folder);
    const isHere = ({ standing }: Staged) => standing !== undefined;
    const behind = all.filter(({ standing }) => standing === 'behind');
    const updated = dryRun ? behind : await continueAll(behind, { stateDir, agentId, storePath, leftOut });
    const entries = await addEntries(all, updated, { storePath, folder, dryRun, leftOut });
    return {
      agentId,
      from,
      to: storePath,
      transcripts: all.filter((one) => !isHere(one) && one.found.write !== undefined).length,
      entries,
      updated: updated.length,
      existing: all.filter(isHere).length - updated.length,
      leftOut,
    };
  } finally {
    for (const { temp } of staged.values()) if (temp !== undefined) rmSync(temp, { force: true });
  }
}

type Stage = (found: FoundSessions, faults: LeftOut[]) => readonly Staged[];
type Take = (found: FoundSessions, those: readonly Staged[]) => void;

function readDatabase(
  source: OpenclawLayout,
  agentId: string,
  stageAll: Stage,
  take: Take,
  leftOut: LeftOut[],
): void {
  const path = source.databasePathOf(agentId);
  if (!existsSync(path)) return;
  let before: readonly Staged[] = [];
  try {
    // Read again where another process wrote in a way that SQLite could not keep from us.
    const read = readSessionDatabase(path, (database) => {
      for (const { temp } of before) if (temp !== undefined) rmSync(temp, { force: true });
      const found = findDatabaseSessions(database);
      const faults: LeftOut[] = [];
      before = stageAll(found, faults);
      return { found: { ...found, leftOut: [...found.leftOut, ...faults] } };
    });
    if (read !== undefined) take(read.found, before);
  } catch (error) {
    for (const { temp } of before) if (temp !== undefined) rmSync(temp, { force: true });
    leftOut.push({ what: path, why: (error as Error).message });
  }
}

function readFiles(source: OpenclawLayout, agentId: string, stageAll: Stage, take: Take): void {
  const storePath = source.storePathOf(agentId);
  if (storePath.endsWith('.sqlite')) return;
  const isFirst = agentId === source.defaultAgentId;
  const owns = (key: string) =>
    !source.isShared ||
    (key === '' ? isFirst : (parseAgentSessionKey(key)?.agentId ?? source.defaultAgentId) === agentId);
  const found = findFileSessions(storePath, owns);
  const faults: LeftOut[] = [];
  const those = stageAll(found, faults);
  take({ ...found, leftOut: [...found.leftOut, ...faults] }, those);
}

function stage(
  found: FoundSession,
  { folder, dryRun, faults }: { folder: string; dryRun: boolean; faults: LeftOut[] },
): Staged | undefined {
  const target = join(folder, found.fileName);
  const isHere = existsSync(target);
  if (found.write === undefined) return { found, ...(isHere && { standing: 'ahead' }) };
  if (isHere && found.file !== undefined) return { found, standing: compareTranscripts(target, found.file) };
  if (dryRun && !isHere) return { found };
  const temp = makeLeftoverPath(dryRun ? join(tmpdir(), found.fileName) : target, 'tmp');
  try {
    found.write(temp);
    return { found, temp, ...(isHere && { standing: compareTranscripts(target, temp) }) };
  } catch (error) {
    rmSync(temp, { force: true });
    // The disk here, not the session there.
    if (['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
    const what = found.current?.key ?? found.sessionId;
    faults.push({ what, why: `it cannot be read: ${(error as Error).message}` });
    return undefined;
  }
}

const CHANGED =
  'it was continued here, or OpenClaw has rewritten it, since it was copied; it stays as it is here';

async function publish(staged: readonly Staged[], folder: string): Promise<void> {
  for (const { temp, found, standing } of staged) {
    if (temp === undefined || standing !== undefined) continue;
    const target = join(folder, found.fileName);
    try {
      if (!linkNew(temp, target) && !existsSync(target)) renameSync(temp, target);
    } catch (error) {
      // Another process copied it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  await syncFolder(folder);
}

/** Those that got what was added. One that is in use here is left, and named. */
async function continueAll(
  behind: readonly Staged[],
  place: { stateDir: string; agentId: string; storePath: string; leftOut: LeftOut[] },
): Promise<Staged[]> {
  const done: Staged[] = [];
  for (const one of behind) {
    const { found, temp } = one;
    const key = found.current?.key ?? found.sessionId;
    const target = join(dirname(place.storePath), found.fileName);
    const entry = { sessionId: found.sessionId, updatedAt: 0, sessionFile: target };
    try {
      const isDone = await whileIdle({ ...place, isRunHere: true }, { key, entry }, () =>
        continueTranscript(target, temp ?? found.file!),
      );
      if (isDone) done.push(one);
    } catch (error) {
      if (!(error instanceof OpenBotError)) throw error;
      place.leftOut.push({ what: key, why: `what OpenClaw added to it: ${error.message}` });
    }
  }
  return done;
}

async function addEntries(
  staged: readonly Staged[],
  updated: readonly Staged[],
  place: { storePath: string; folder: string; dryRun: boolean; leftOut: LeftOut[] },
): Promise<number> {
  const { storePath, folder, dryRun, leftOut } = place;
  const current = staged.flatMap((one) =>
    one.found.current === undefined ? [] : [{ ...one.found.current, found: one.found, one }],
  );
  for (const { found, standing } of staged) {
    if (standing === 'apart' && found.current === undefined)
      leftOut.push({ what: found.fileName, why: CHANGED });
  }
  if (current.length === 0) return 0;
  const store = openFileSessionStore(storePath);
  try {
    const known = new Map((await store.list()).map(({ key, entry }) => [key, entry.sessionId]));
    for (const { key } of await store.listUnreadable()) known.set(key, '');
    const spellingOf = (key: string) => listSessionKeySpellings(key).find((one) => known.has(one));
    const missing = current.filter(({ key, found, one }) => {
      const spelling = spellingOf(key);
      if (spelling !== undefined && known.get(spelling) !== found.sessionId) {
        const why = `there is another session with this key here; the transcript is ${found.fileName}, and no key points to it`;
        leftOut.push({ what: key, why });
      } else if (one.standing === 'apart') leftOut.push({ what: key, why: CHANGED });
      return spelling === undefined;
    });
    const grown = current.filter(({ one }) => updated.includes(one));
    if (dryRun || missing.length + grown.length === 0) return missing.length;
    return await store.updateMany((draft) => {
      for (const { key, entry } of grown) {
        const spelling = spellingOf(key) ?? key;
        const here = draft.get(spelling);
        if (here?.sessionId === entry.sessionId)
          draft.set(spelling, mergeEntry(here, convertEntry(entry, undefined)));
      }
      const added = missing.filter(({ key }) => draft.get(key) === undefined);
      for (const { key, entry, found } of added) {
        const isPlain = found.fileName === transcriptFileName(found.sessionId);
        draft.set(key, convertEntry(entry, isPlain ? undefined : join(folder, found.fileName)));
      }
      return added.length;
    });
  } finally {
    await store.close();
  }
}

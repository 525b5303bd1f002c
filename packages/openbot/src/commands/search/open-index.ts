/** What the commands of the index share: where it is, which sessions are in it, and how it comes up to date. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeWarning } from '@openbot/sessions/command-line';
import type { SourceName } from 'oc-context-cleaner';
import { findUnreadable } from '../../config/find-unreadable.ts';
import { CONFIG_FILE_NAME, loadBotConfig } from '../../config/load-config.ts';
import { type IndexDatabase, type IndexOptions, openIndexDatabase } from '../../index-db/index-database.ts';
import { resolveIndexPath } from '../../index-db/index-path.ts';
import { isOnlyReadable, openIndexForReading } from '../../index-db/open-for-reading.ts';
import { type CaughtUp, catchUp, listKnown } from '../../index-writing/catch-up.ts';
import { placeOfProgram, placeOfState, type SessionsPlace } from '../../index-writing/session-source.ts';
import type { INDEX_FLAGS } from './flags.ts';

export type IndexInput = CommandInput<typeof INDEX_FLAGS>;

export interface IndexInUse {
  readonly path: string;
  readonly stateDir: string;
  readonly places: readonly SessionsPlace[];
  open(leaveAlone?: IndexOptions['leaveAlone']): Promise<IndexDatabase>;
}

/** The index of the state folder, and the places that the flags ask for. */
export async function locateIndex(input: IndexInput): Promise<IndexInUse> {
  const { flags, env } = input;
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  if (flags.stateDir !== undefined && !existsSync(stateDir)) {
    throw new OpenBotError('USAGE', `The state folder ${stateDir} does not exist`, {
      hint: 'Check the path after --state-dir; it is the folder that holds agents/',
    });
  }
  const fault = findUnreadable(stateDir);
  if (fault !== undefined) warn(input, fault);
  else if (!(await isEnabled(stateDir, env))) {
    throw new OpenBotError('INDEX_UNUSABLE', 'The index is turned off: index.enabled is false', {
      hint: `Set index.enabled to true in ${join(stateDir, CONFIG_FILE_NAME)}`,
    });
  }
  const path = resolveIndexPath(stateDir, env);
  const report = ({ message }: { message: string }) => warn(input, message);
  return {
    path,
    stateDir,
    places: listPlaces(input, stateDir),
    open: async (leaveAlone) =>
      isOnlyReadable(path) ? openIndexForReading(path) : openIndexDatabase(path, { report, leaveAlone }),
  };
}

/** The configuration is read whole only where it may say something about the index. */
async function isEnabled(stateDir: string, env: IndexInput['env']): Promise<boolean> {
  let text: string;
  try {
    text = readFileSync(join(stateDir, CONFIG_FILE_NAME), 'utf8');
  } catch {
    return true;
  }
  if (!text.includes('index')) return true;
  const { config } = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  return (config as { index?: { enabled?: unknown } }).index?.enabled !== false;
}

const PROGRAMS: readonly SourceName[] = ['openclaw', 'pi', 'claude'];

function listPlaces(input: IndexInput, stateDir: string): SessionsPlace[] {
  const { env, cwd, flags } = input;
  const scope = { env, cwd, warn: (fault: OpenBotError) => warn(input, fault.message) };
  const own = existsSync(stateDir) ? [placeOfState(stateDir, scope)] : [];
  if (flags.source === undefined) return own;
  const wanted = flags.source === 'all' ? PROGRAMS : [flags.source as SourceName];
  const others = wanted.flatMap((source) => placeOfProgram(source, scope) ?? []);
  const places = flags.source === 'all' ? [...own, ...others] : others;
  // OpenClaw may have been told to use this very state folder.
  return [...new Map(places.map((place) => [place.root, place])).values()];
}

/** Reads what is new. An index that is found damaged meanwhile is made anew, once. */
export async function bringUpToDate(
  input: IndexInput,
  database: IndexDatabase,
  places: readonly SessionsPlace[],
): Promise<CaughtUp> {
  if (database.isReadOnly) {
    warn(input, `The index was not brought up to date: ${database.path} cannot be written to`);
    return { read: 0, removed: 0, sessions: await countSessions(database, places), bytes: 0, faults: [] };
  }
  const all = await againIfReplaced(async () => {
    const results: CaughtUp[] = [];
    for (const place of places) results.push(await catchUp(database, place));
    return results;
  });
  const sum = (figure: (one: CaughtUp) => number) => all.reduce((total, one) => total + figure(one), 0);
  const faults = all.flatMap((one) => one.faults);
  for (const { path, error } of faults.slice(0, 3))
    warn(input, `Left out ${path}: ${(error as Error).message}`);
  if (faults.length > 3) warn(input, `Left out ${faults.length - 3} more sessions that cannot be read`);
  return {
    read: sum(({ read }) => read),
    removed: sum(({ removed }) => removed),
    sessions: sum(({ sessions }) => sessions),
    bytes: sum(({ bytes }) => bytes),
    faults,
  };
}

async function countSessions(database: IndexDatabase, places: readonly SessionsPlace[]): Promise<number> {
  let count = 0;
  for (const { root } of places) count += (await listKnown(database, { root })).size;
  return count;
}

export async function againIfReplaced<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OpenBotError) || error.code !== 'INDEX_REPLACED') throw error;
    return work();
  }
}

/** Writes to stderr, as JSON with `--json`. */
export function warn({ flags, terminal }: Pick<IndexInput, 'flags' | 'terminal'>, message: string): void {
  writeWarning(terminal, message, flags);
}

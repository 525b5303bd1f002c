/** A home folder with one session of a storage, in which an agent talks between the commands. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterFile } from '../../../../test/setup/cleaning.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { run } from '../../src/cli/main.ts';
import { furnish, homeIn, listLeftovers, readBackups, SESSION_ID, talk } from '../safety/homes.ts';
import { homeIn as databaseHomeIn } from '../session-db/database-home.ts';
import { changeDatabase } from '../session-db/look-into.ts';
import { ID, makeTalkingHome, talkIn } from '../session-db/talking-home.ts';
import { createRecordingTerminal } from '../setup/recording-terminal.ts';
import type { OccRun } from '../setup/run-occ.ts';

export interface StorageHome {
  readonly folder: string;
  readonly sessionId: string;
  /** How the command line names the session. */
  readonly address: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What gets its name right before the session is swapped. */
  pausePath(): string;
  /** The session as a file holds it, or would. */
  read(): string;
  /** Says a turn as the agent does. Returns its lines. */
  say(about: string): string;
  /** The backups, oldest first. */
  backups(): string[];
  /** Makes a line unreadable, so that the session cannot be rewritten. */
  damage(): void;
  /** SQLite writes to the disk by itself: faults on disk do not reach it. */
  readonly isInSqlite?: true;
  /** What the storage's own check finds wrong. */
  faults(): string[];
  /** The command on the session, in this process. */
  readonly occ: RunCommand;
  /** The same on another session of the storage. */
  occOn(name: string): RunCommand;
}

type RunCommand = (command: string, ...flags: string[]) => Promise<OccRun>;

/** Two edits and their backups are behind the session. With `isEdited` a third one is, and a turn since. */
export type MakeHome = (folder: string, isEdited?: boolean) => Promise<StorageHome>;

export const HOMES: readonly (readonly [string, MakeHome])[] = [
  makeKind('openclaw-files', ...ofFiles('openclaw')),
  makeKind('openclaw-sqlite', furnishDatabase, openDatabaseHome),
  makeKind('pi', ...ofFiles('pi')),
  makeKind('claude', ...ofFiles('claude')),
];

type Furnish = (folder: string) => Promise<void>;
type Open = (folder: string) => StorageHome;

/** Homes are copies of one that is furnished once for each test file. */
function makeKind(name: string, furnishIn: Furnish, open: Open): readonly [string, MakeHome] {
  const patterns = new Map<boolean, string>();
  const fill = async (folder: string, isEdited: boolean) => {
    if (!isEdited) return furnishIn(folder);
    copyFolder(await patternOf(false), folder);
    const home = open(folder);
    const { code, stderr } = await home.occ('edit', '--strip-tools=extreme');
    if (code !== 0) throw new Error(stderr);
    home.say('after the third edit');
  };
  const patternOf = async (isEdited: boolean) => {
    const known = patterns.get(isEdited);
    if (known !== undefined) return known;
    const pattern = mkdtempSync(join(tmpdir(), 'occ-pattern-'));
    afterFile(() => {
      patterns.delete(isEdited);
      rmSync(pattern, { recursive: true, force: true });
    });
    await fill(pattern, isEdited);
    patterns.set(isEdited, pattern);
    return pattern;
  };
  const make: MakeHome = async (folder, isEdited = false) => {
    copyFolder(await patternOf(isEdited), folder);
    return open(folder);
  };
  return [name, make];
}

function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}

function ofFiles(source: 'openclaw' | 'pi' | 'claude'): [Furnish, Open] {
  return [(folder) => furnish(homeIn(folder, source)), (folder) => openFileHome(folder, source)];
}

function openFileHome(folder: string, source: 'openclaw' | 'pi' | 'claude'): StorageHome {
  const home = homeIn(folder, source);
  const { path, env } = home;
  const read = () => readFileSync(path, 'utf8');
  const address = [path, '--source', source];
  return {
    folder,
    sessionId: SESSION_ID,
    address,
    env,
    pausePath: () => path,
    read,
    say: (about) => {
      const before = read();
      talk(home, about);
      return read().slice(before.length);
    },
    backups: () => [...readBackups(home).values()].map(String),
    damage: () => writeFileSync(path, 'no session\n'),
    faults: () => listLeftovers(home),
    occ: runIn(folder, env, address),
    occOn: (name) => runIn(folder, env, [name, '--source', source]),
  };
}

async function furnishDatabase(folder: string): Promise<void> {
  const home = makeTalkingHome(undefined, folder);
  await home.edit('--keep', '7');
  home.say('after the first edit');
  await home.edit('--keep', '6');
  home.say('after the second edit');
}

function openDatabaseHome(folder: string): StorageHome {
  const home = talkIn(databaseHomeIn(folder));
  const { path, env } = home;
  const backups = () => Object.entries(home.backups(ID));
  return {
    folder,
    sessionId: ID,
    address: [ID],
    isInSqlite: true,
    env,
    pausePath: () => join(home.kept, `${ID}.backup.${Number(backups().at(-1)![0]) + 1}.jsonl`),
    read: home.file,
    say: home.say,
    backups: () => backups().map(([, text]) => text),
    damage: () =>
      changeDatabase(
        path,
        `UPDATE transcript_events SET event_json = 'no JSON', event_zstd = NULL WHERE session_id = '${ID}' AND seq = 3`,
      ),
    faults: () => [
      ...findDatabaseFaults(path),
      ...readdirSync(home.kept).filter((name) => name.endsWith('.tmp')),
    ],
    occ: runIn(folder, env, [ID]),
    occOn: (name) => runIn(folder, env, [name]),
  };
}

function runIn(folder: string, env: StorageHome['env'], address: readonly string[]): RunCommand {
  return async (command, ...flags) => {
    const terminal = createRecordingTerminal();
    const argv = [command, ...address, ...flags, '--json'];
    const code = await run(argv, { env, cwd: folder, terminal });
    return { code, stdout: terminal.stdout, stderr: terminal.stderr };
  };
}

/** Every file below the home with its content, but for what SQLite keeps for readers. */
export function readAllFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile() && !/-(?:wal|shm)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
}

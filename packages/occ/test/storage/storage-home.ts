/** A home folder with one session of a storage, in which an agent talks between the commands. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { run } from '../../src/cli/main.ts';
import { furnish, homeIn, listLeftovers, readBackups, SESSION_ID, talk } from '../safety/homes.ts';
import { changeDatabase } from '../session-db/look-into.ts';
import { ID, makeTalkingHome } from '../session-db/talking-home.ts';
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

export type MakeHome = (folder: string) => Promise<StorageHome>;

export const HOMES: readonly (readonly [string, MakeHome])[] = [
  ['openclaw-files', (folder) => makeFileHome(folder, 'openclaw')],
  ['openclaw-sqlite', makeDatabaseHome],
  ['pi', (folder) => makeFileHome(folder, 'pi')],
  ['claude', (folder) => makeFileHome(folder, 'claude')],
];

async function makeFileHome(folder: string, source: 'openclaw' | 'pi' | 'claude'): Promise<StorageHome> {
  const home = homeIn(folder, source);
  const { path, env } = home;
  await furnish(home);
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

async function makeDatabaseHome(folder: string): Promise<StorageHome> {
  const home = makeTalkingHome(undefined, folder);
  await home.edit('--keep', '7');
  home.say('after the first edit');
  await home.edit('--keep', '6');
  home.say('after the second edit');
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

/** What root does to another user's session leaves that user everything. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createTranscript } from '@openbot/sessions';
import { expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { ID, makeStateFolder } from '../commands/state-folder.ts';
import { ID as DATABASE_ID, makeTalkingHome } from '../session-db/talking-home.ts';
import { cleanEnvironment, OCC_LAUNCHER, runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const OWNER = 65534;
const isRoot = process.geteuid?.() === 0;

function listAll(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return [folder, ...below];
}

function giveAway(home: string): void {
  for (const path of listAll(home)) chownSync(path, OWNER, OWNER);
}

const listForeign = (home: string) => listAll(home).filter((file) => lstatSync(file).uid !== OWNER);

function runAsOwner(home: string, ...args: string[]) {
  return spawnSync(process.execPath, [OCC_LAUNCHER, ...args, '--json'], {
    uid: OWNER,
    gid: OWNER,
    cwd: '/',
    encoding: 'utf8',
    env: cleanEnvironment({ HOME: home }),
  });
}

it.skipIf(!isRoot)(
  'so does what is kept of a session in a database, also while it is open (needs root)',
  LONG,
  async () => {
    const home = makeTalkingHome();
    giveAway(home.folder);
    const first = home.file();
    const other = new DatabaseSync(home.path);
    // Somebody has it open, so that its WAL stays.
    other.exec('PRAGMA journal_mode = WAL');
    await home.edit('--strip-tools=extreme');
    expect(listForeign(home.folder)).toEqual([]);
    expect(runAsOwner(home.folder, 'restore', DATABASE_ID)).toMatchObject({ status: 0, stderr: '' });
    other.close();
    expect(home.file()).toBe(first);
    expect(runAsOwner(home.folder, 'edit', DATABASE_ID, '--strip-tools=extreme')).toMatchObject({
      status: 0,
    });
  },
);

it.skipIf(!isRoot)('backups, folders, clones and journals belong to the owner (needs root)', async () => {
  const state = makeStateFolder();
  const path = state.add(createSessionWithTurns(30, 1, { tree: true, resultLength: 300 }), {
    entry: { totalTokens: 90_000 },
  });
  chmodSync(join(state.sessions, 'sessions.json'), 0o644);
  giveAway(state.home);
  const first = readFileSync(path, 'utf8');
  for (const keep of ['29', '28', '27', '26', '25', '24']) await state.json('edit', ID, '--keep', keep);
  await state.json('clone', ID);
  await state.json('restore', ID);
  expect(listForeign(state.home)).toEqual([]);
  const open = listAll(state.sessions).filter(
    (file) => (lstatSync(file).mode & 0o077) !== 0 && lstatSync(file).isFile(),
  );
  expect(open).toEqual([]);

  expect(runAsOwner(state.home, 'edit', ID, '--keep', '5')).toMatchObject({ status: 0, stderr: '' });
  expect(runAsOwner(state.home, 'restore', ID, '--original')).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(path, 'utf8')).toBe(first);
});

it.skipIf(!isRoot)(
  'new transcripts and saved files of a clone belong to the owner (needs root)',
  async () => {
    const home = makeTempFolder();
    const project = join(home, '.claude/projects/-work');
    const history = join(home, '.claude/file-history', ID);
    for (const folder of [project, history]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(history, '0123456789abcdef@v1'), 'one');
    const line = { type: 'user', message: { role: 'user', content: 'hello' }, uuid: 'u1', parentUuid: null };
    writeFileSync(join(project, `${ID}.jsonl`), `${JSON.stringify({ ...line, sessionId: ID })}\n`);
    giveAway(home);
    const made = await runOcc(['clone', ID, '--source', 'claude'], { env: { HOME: home }, cwd: home });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    await createTranscript({ path: join(home, 'new', 'a.jsonl'), sessionId: DATABASE_ID, cwd: '/' });
    expect(listForeign(home)).toEqual([]);
  },
);

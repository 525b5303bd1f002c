/** Where backups and journals are: in backups/ beside the sessions; those of earlier versions, and those that OpenClaw moved. */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { ID, makeStateFolder, type StateFolder } from './state-folder.ts';

let state: StateFolder;
let path: string;
let original: string;
let kept: string;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(createSessionWithTurns(30, 1, { tree: true, resultLength: 300 }));
  original = read();
  kept = join(state.sessions, 'backups');
});

const read = (file = path) => readFileSync(file, 'utf8');
const NAME = (number: number) => `${ID}.backup.${number}.jsonl`;
const JOURNAL = `${ID}.occ.json`;
/** Of the backups; the original is none of them. */
const numbers = async () =>
  (await state.json<{ number: number; original?: true }[]>('restore', ID, '--list'))
    .filter(({ original }) => !original)
    .map(({ number }) => number);

/** A place on another file system than that of the tests. */
function findOtherDisk(): string | undefined {
  const { dev } = statSync(tmpdir());
  return [inject('machineTemp'), '/dev/shm'].find(
    (folder) => (statSync(folder, { throwIfNoEntry: false })?.dev ?? dev) !== dev,
  );
}

/** As an earlier version left it. */
function moveBesideSessions(): void {
  for (const name of readdirSync(kept)) renameSync(join(kept, name), join(state.sessions, name));
}

it('nothing of ours is left among the sessions, and the folder is private', async () => {
  await state.json('edit', ID, '--strip-tools');
  expect(readdirSync(state.sessions).sort()).toEqual([`${ID}.jsonl`, 'backups', 'sessions.json'].sort());
  expect(readdirSync(kept).sort()).toEqual([NAME(1), JOURNAL].sort());
  expect(lstatSync(kept).mode & 0o777).toBe(0o700);
});

describe('backups of an earlier version, beside the session', () => {
  it('are listed, numbered on from, and put back', async () => {
    await state.json('edit', ID, '--keep', '20');
    await state.json('edit', ID, '--keep', '15');
    moveBesideSessions();
    expect(await numbers()).toEqual([2, 1]);
    expect((await state.json('edit', ID, '--keep', '10')).backupPath).toBe(join(kept, NAME(3)));
    expect(await numbers()).toEqual([3, 2, 1]);
    const { restoredFrom, backupPath } = await state.json('restore', ID, '--backup', '1');
    expect([restoredFrom, backupPath]).toEqual([join(state.sessions, NAME(1)), join(kept, NAME(4))]);
    expect(read()).toBe(original);
  });

  it('are at most five together with the others', async () => {
    for (const keep of ['20', '18', '16', '14']) await state.json('edit', ID, '--keep', keep);
    moveBesideSessions();
    for (const keep of ['12', '10']) await state.json('edit', ID, '--keep', keep);
    expect(await numbers()).toEqual([6, 5, 4, 3, 2]);
    expect(existsSync(join(state.sessions, NAME(1)))).toBe(false);
    expect(existsSync(join(state.sessions, NAME(2)))).toBe(true);
  });

  it('have a journal that is read, and moves when one is next written', async () => {
    await state.json('edit', ID, '--keep', '20');
    moveBesideSessions();
    expect((await state.json('restore', ID, '--list'))[0]).toMatchObject({ madeBefore: 'edit' });
    await state.json('edit', ID, '--keep', '15');
    expect(existsSync(join(state.sessions, JOURNAL))).toBe(false);
    const { rewrites } = JSON.parse(read(join(kept, JOURNAL)));
    expect(rewrites.map(({ backup }: { backup: number }) => backup)).toEqual([1, 2]);
  });

  it('that a killed edit left unfinished go as before', async () => {
    await state.json('edit', ID, '--keep', '20');
    await state.json('restore', ID);
    moveBesideSessions();
    linkSync(path, join(state.sessions, NAME(3)));
    expect(await numbers()).toEqual([2, 1]);
    await state.json('edit', ID, '--keep', '20');
    expect(existsSync(join(state.sessions, NAME(3)))).toBe(false);
    expect(existsSync(join(kept, NAME(3)))).toBe(true);
  });
});

describe('something else with the name of', () => {
  it.each(['a file', 'a link that leads nowhere'])('the folder: %s', async (what) => {
    if (what === 'a file') writeFileSync(kept, 'mine');
    else symlinkSync(join(state.home, 'nowhere'), kept);
    const { code, message, hint } = await state.refused('edit', ID, '--strip-tools');
    expect(code).toBe('EDIT_FAILED');
    expect(message).toContain(`Cannot store a backup: ${kept} is`);
    expect(hint).toContain('Nothing was changed');
    expect(read()).toBe(original);
    expect(await numbers()).toEqual([]);
  });

  // Skipped where the machine has no second file system that anybody may write to.
  const otherDisk = findOtherDisk();
  it.skipIf(otherDisk === undefined)('the folder: a link to one on another disk', async () => {
    const elsewhere = makeTempFolder(otherDisk);
    symlinkSync(elsewhere, kept);
    expect((await state.json('edit', ID, '--strip-tools')).backupPath).toBe(join(kept, NAME(1)));
    expect(read(join(elsewhere, NAME(1)))).toBe(original);
    expect(lstatSync(join(elsewhere, NAME(1))).mode & 0o777).toBe(0o600);
    await state.json('restore', ID);
    expect(read()).toBe(original);
  });

  it.each(['a link to a file', 'a link that leads nowhere', 'a folder'])(
    'a backup: %s; it takes the next number',
    async (what) => {
      mkdirSync(kept);
      const other = join(state.home, 'other.jsonl');
      if (what === 'a folder') mkdirSync(join(kept, NAME(1)));
      else symlinkSync(other, join(kept, NAME(1)));
      if (what === 'a link to a file') writeFileSync(other, 'mine');
      expect((await state.json('edit', ID, '--strip-tools')).backupPath).toBe(join(kept, NAME(2)));
      expect(await numbers()).toEqual([2]);
      await state.json('restore', ID);
      expect(read()).toBe(original);
      if (what === 'a link to a file') expect(read(other)).toBe('mine');
      else expect(existsSync(other)).toBe(false);
    },
  );
});

it('backups that are gone although the session was edited: it says where they were', async () => {
  await state.json('edit', ID, '--strip-tools');
  renameSync(join(kept, NAME(1)), join(state.home, 'moved'));
  const { message, hint } = await state.refused('restore', ID);
  expect(message).toBe(`No backup found for session '${ID}'`);
  expect(hint).toContain('The session has been edited, but its backups were moved or deleted');
  expect(hint).toContain(kept);
  const { stdout } = await state.occ('restore', ID, '--list');
  expect(stdout).toContain('its backups were moved or deleted');
});

it('what OpenClaw moved with its import is found, put back, and left to it', async () => {
  for (const keep of ['20', '18']) await state.json('edit', ID, '--keep', keep);
  const archive = join(dirname(state.sessions), 'session-sqlite-import-archive');
  mkdirSync(archive);
  // As its migration names them.
  for (const number of [1, 2]) {
    const name = `unreferenced.${NAME(number)}.imported-1794767344000${number === 2 ? '.1' : ''}`;
    renameSync(join(kept, NAME(number)), join(archive, name));
  }
  expect(await numbers()).toEqual([2, 1]);
  for (const keep of ['16', '14', '12', '10', '8', '6']) await state.json('edit', ID, '--keep', keep);
  expect(await numbers()).toEqual([8, 7, 6, 5, 4, 2, 1]);
  const { restoredFrom } = await state.json('restore', ID, '--backup', '1');
  expect(dirname(restoredFrom)).toBe(archive);
  expect(read()).toBe(original);
  expect(readdirSync(archive)).toHaveLength(2);
});

/** Where `clone -o` may put a clone, and whether the index names it there. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';

let state: StateFolder;
let sessions: string;
beforeEach(() => {
  state = makeStateFolder();
  sessions = dirname(state.add(thirtyTurns()));
});

const readIndex = () => JSON.parse(readFileSync(join(sessions, 'sessions.json'), 'utf8'));

it('the index names it', async () => {
  const path = join(sessions, 'copy.jsonl');
  const { sessionKey, clonedSessionId } = (await state.json('clone', ID, '-o', path)) as Record<
    string,
    string
  >;
  expect(readIndex()[sessionKey!]).toMatchObject({ sessionId: clonedSessionId, sessionFile: path });
  expect(await state.json('info', clonedSessionId!)).toMatchObject({ sessionId: clonedSessionId });
});

it('unless --no-register', async () => {
  const before = readIndex();
  const result = await state.json('clone', ID, '-o', join(sessions, 'copy.jsonl'), '--no-register');
  expect(result).not.toHaveProperty('sessionKey');
  expect(result).not.toHaveProperty('note');
  expect(readIndex()).toEqual(before);
});

it('a file elsewhere is in no index, and the result says so', async () => {
  const before = readIndex();
  const path = join(sessions, '..', 'copy.jsonl');
  expect(await state.json('clone', ID, '-o', path)).toMatchObject({
    clonedSessionPath: path,
    note: 'It is not in the index, which lists only files of its own folder',
  });
  expect(readIndex()).toEqual(before);
  expect(existsSync(path)).toBe(true);
});

it.each([
  'sessions.json',
  'SESSIONS.JSON',
  'sessions.json.lock',
  `${ID}.jsonl.lock`,
  'other.backup.1.jsonl',
  `${ID}.jsonl.occ.json`,
  'openclaw-agent.sqlite',
  'openclaw-agent.sqlite-wal',
  'openclaw.json',
  'x.jsonl.reset.2026-01-01T00-00-00.000Z',
  'x.tmp',
])('%s is no name for a clone, wherever it is', async (name) => {
  const other = join(sessions, '..', '..', 'other', 'sessions');
  mkdirSync(other, { recursive: true });
  const before = readFileSync(join(sessions, 'sessions.json'));
  for (const path of [join(sessions, name), join(other, name)]) {
    for (const flags of [[], ['--dry-run']]) {
      const error = await state.refused('clone', ID, '-o', path, ...flags);
      expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(`named ${name}:`) });
    }
  }
  expect(readFileSync(join(sessions, 'sessions.json')).equals(before)).toBe(true);
  expect(readdirSync(other)).toEqual([]);
});

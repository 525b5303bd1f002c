import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { ownIdentity } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { isRunning } from '../../src/registry/is-running.ts';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';
import {
  readAllRegistries,
  readRegistry,
  resolveRegistryPath,
  updateRegistry,
} from '../../src/registry/registry-file.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { endedProcess } from './ended-process.ts';
import { registered } from './registered.ts';

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

test('what was written is read, by agent and of all agents', async () => {
  const stateDir = makeTempFolder();
  const [one, two] = [registered({ agentId: 'zoe' }), registered({ agentId: 'adam', label: 'web' })];
  await updateRegistry(stateDir, 'zoe', (sessions) => void sessions.set(one.sessionId, one));
  await updateRegistry(stateDir, 'adam', (sessions) => void sessions.set(two.sessionId, two));
  expect(readRegistry(stateDir, 'zoe')).toEqual(new Map([[one.sessionId, one]]));
  expect(readAllRegistries(stateDir)).toEqual([two, one]);
  expect(statSync(resolveRegistryPath(stateDir, 'zoe')).mode & 0o777).toBe(0o600);
});

test('an agent without a registry has no sessions, nor has a state folder that is not there', () => {
  const stateDir = makeTempFolder();
  expect(readRegistry(stateDir, 'main').size).toBe(0);
  expect(readAllRegistries(join(stateDir, 'none'))).toEqual([]);
});

test('changes at the same time are all kept', async () => {
  const stateDir = makeTempFolder();
  const sessions = Array.from({ length: 12 }, () => registered());
  await Promise.all(
    sessions.map((session) =>
      updateRegistry(stateDir, 'main', (map) => void map.set(session.sessionId, session)),
    ),
  );
  expect(readRegistry(stateDir, 'main').size).toBe(12);
});

test('a change keeps what it does not know', async () => {
  const stateDir = makeTempFolder();
  const path = resolveRegistryPath(stateDir, 'main');
  const session = { ...registered(), later: { a: 1 } };
  writeText(path, JSON.stringify({ version: 1, more: true, sessions: { [session.sessionId]: session } }));
  const other = registered();
  await updateRegistry(stateDir, 'main', (map) => void map.set(other.sessionId, other));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    more: true,
    sessions: { [session.sessionId]: { later: { a: 1 } } },
  });
});

const ID = registered().sessionId;
test.each([
  ['no JSON', '{"version":1,'],
  ['nothing', ''],
  ['a list', '[]'],
  ['no sessions', '{"version":1}'],
  ['a later version', '{"version":2,"sessions":{}}'],
  ['a session that is none', `{"version":1,"sessions":{"${ID}":3}}`],
  ['a session under another id', JSON.stringify({ version: 1, sessions: { x: registered() } })],
  [
    'an id that leads elsewhere',
    JSON.stringify({ version: 1, sessions: { '../x': { ...registered(), sessionId: '../x' } } }),
  ],
  [
    'a cost that is none',
    JSON.stringify({ version: 1, sessions: { [ID]: { ...registered(), sessionId: ID, totalCostUsd: 'x' } } }),
  ],
])('a damaged registry is an error that names it, and stays as it is: %s', async (_name, text) => {
  const stateDir = makeTempFolder();
  const path = resolveRegistryPath(stateDir, 'main');
  writeText(path, text);
  const fault = expect.objectContaining({
    code: 'REGISTRY_UNREADABLE',
    message: expect.stringContaining(path),
  });
  expect(() => readRegistry(stateDir, 'main')).toThrow(fault);
  expect(() => readAllRegistries(stateDir)).toThrow(fault);
  await expect(updateRegistry(stateDir, 'main', () => {})).rejects.toEqual(fault);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('what is wrong with a registry is said without what is in it', () => {
  const stateDir = makeTempFolder();
  const path = resolveRegistryPath(stateDir, 'main');
  for (const text of [
    'secret',
    '{"version":"secret","sessions":{}}',
    '{"version":1,"sessions":{"secret":3}}',
    JSON.stringify({ version: 1, sessions: { [ID]: { ...registered(), sessionId: ID, turns: 'secret' } } }),
  ]) {
    writeText(path, text);
    const problems: Error[] = [];
    expect(readAllRegistries(stateDir, (error) => problems.push(error))).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(inspect(problems)).not.toContain('secret');
  }
});

test('a folder with the name of a registry is an error that names it', () => {
  const stateDir = makeTempFolder();
  const path = resolveRegistryPath(stateDir, 'main');
  mkdirSync(path, { recursive: true });
  expect(() => readRegistry(stateDir, 'main')).toThrow(
    expect.objectContaining({ code: 'REGISTRY_UNREADABLE' }),
  );
});

test('a change that fails, or leaves nonsense, changes nothing', async () => {
  const stateDir = makeTempFolder();
  const session = registered();
  await updateRegistry(stateDir, 'main', (map) => void map.set(session.sessionId, session));
  const before = readFileSync(resolveRegistryPath(stateDir, 'main'));
  const failing = updateRegistry(stateDir, 'main', (map) => {
    map.clear();
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  const nonsense = { ...session, turns: -1 } satisfies RegisteredSession;
  await expect(
    updateRegistry(stateDir, 'main', (map) => void map.set(session.sessionId, nonsense)),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(readFileSync(resolveRegistryPath(stateDir, 'main'))).toEqual(before);
});

test('an agent id that leads out of the folder is refused', () => {
  expect(() => readRegistry(makeTempFolder(), '../x')).toThrow(
    expect.objectContaining({ code: 'PATH_ESCAPES_FOLDER' }),
  );
});

test('a session runs while its process does', async () => {
  const own = ownIdentity();
  expect(isRunning(registered())).toBe(false);
  expect(isRunning(registered({ runner: own }))).toBe(true);
  expect(isRunning(registered({ runner: await endedProcess() }))).toBe(false);
  expect(isRunning(registered({ runner: { ...own, host: 'elsewhere' } }))).toBe(false);
});

test.runIf(process.platform === 'linux')('a pid that was given to another process runs nothing', () => {
  const own = ownIdentity();
  expect(isRunning(registered({ runner: { ...own, starttime: own.starttime! - 1 } }))).toBe(false);
});

/** What is removed can be brought back, and a session in use stays as it is. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import { expect, test } from 'vitest';
import { openFileRunLock } from '../../src/run-lock/files/file-run-lock.ts';
import {
  makeDatabasePlace,
  makeOpenclawPlace,
  makePlace,
  type SessionPlace,
  snapshot,
  writeTranscript,
} from './session-places.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const KEY = 'agent:main:telegram:dm:42';

interface Changed {
  readonly key: string;
  readonly sessionId: string;
  readonly archived: readonly string[];
  readonly undo: readonly string[];
}

/** A folder of this program with one session of some lines. */
function makeOwnPlace(messages = 6): SessionPlace {
  const entry = {
    ...{
      sessionId: ID,
      updatedAt: Date.now() - 1000,
      label: 'ada',
      thinkingLevel: 'low',
      lastTo: 'telegram:42',
    },
    ...{ totalTokens: 9000, contextTokens: 128_000, skillsSnapshot: { prompt: 'skills', skills: [] } },
  };
  const place = makePlace({ [KEY]: entry }, { 'openbot.json': '{}' });
  writeTranscript(place, ID, messages);
  return place;
}

const namesIn = (place: SessionPlace) => readdirSync(place.sessionsDir).sort();

/** Runs the command that a result names. */
async function undo(place: SessionPlace, command: string | undefined) {
  const [program, ...args] = command!.split(' ');
  expect(program).toBe('openbot');
  return place.jsonHere<Changed & { replaced: Changed | null }>(...args, '--yes');
}

test.each([
  ['this program', () => makeOwnPlace()],
  [
    'OpenClaw',
    () => {
      const place = makeOpenclawPlace();
      const store = { [KEY]: { sessionId: ID, updatedAt: 5, label: 'ada', thinkingLevel: 'low' } };
      writeFileSync(join(place.sessionsDir, 'sessions.json'), JSON.stringify(store));
      writeTranscript(place, ID, 6);
      return place;
    },
  ],
])('files of %s: reset, delete and back', async (_, make) => {
  const place = make();
  const transcript = readFileSync(join(place.sessionsDir, `${ID}.jsonl`), 'utf8');
  const before = place.store()[KEY]!;

  const reset = await place.json<Changed & { previousSessionId: string }>(
    'sessions',
    'reset',
    'ada',
    '--yes',
  );
  expect(reset).toMatchObject({ key: KEY, previousSessionId: ID });
  expect(place.store()[KEY]).toMatchObject({
    sessionId: reset.sessionId,
    label: 'ada',
    thinkingLevel: 'low',
  });
  expect(readFileSync(reset.archived[0]!, 'utf8')).toBe(transcript);

  const back = await undo(place, reset.undo[0]);
  expect(back).toMatchObject({ key: KEY, sessionId: ID, replaced: { sessionId: reset.sessionId } });
  expect(readFileSync(join(place.sessionsDir, `${ID}.jsonl`), 'utf8')).toBe(transcript);
  const { updatedAt: then, sessionFile: _file, ...restored } = place.store()[KEY]!;
  const { updatedAt: _at, ...expected } = before;
  expect(restored).toMatchObject(expected);
  expect(then).toBeGreaterThan(Date.now() - 60_000);

  const deleted = await place.jsonHere<Changed>('sessions', 'delete', KEY, '--yes');
  expect(place.store()).toEqual({});
  expect(deleted.archived[0]).toContain(`${ID}.jsonl.deleted.`);
  expect(await undo(place, deleted.undo[0])).toMatchObject({ key: KEY, sessionId: ID, replaced: null });
  expect(place.store()[KEY]).toMatchObject(expected);
  expect(readFileSync(join(place.sessionsDir, `${ID}.jsonl`), 'utf8')).toBe(transcript);
  const left = namesIn(place).filter((name) => name.startsWith(ID));
  expect(left).toEqual([`${ID}.jsonl`]);
});

test('compact, go on, and back with what was said since', async () => {
  const place = makeOwnPlace(8);
  const path = join(place.sessionsDir, `${ID}.jsonl`);
  const whole = readFileSync(path, 'utf8');
  const done = await place.json<Changed & { kept: number; removed: number }>(
    ...['sessions', 'compact', ID.slice(0, 36), '--keep-lines', '3', '--yes'],
  );
  expect(done).toMatchObject({ compacted: true, kept: 3, removed: 5 });
  expect(place.store()[KEY]!.totalTokens).toBeUndefined();
  const later = `${JSON.stringify({ type: 'message', id: 'later', parentId: '00000007', message: { role: 'user', content: 'later' } })}\n`;
  await appendFile(path, later);
  expect(await undo(place, done.undo[0])).toMatchObject({ key: KEY, sessionId: ID });
  expect(readFileSync(path, 'utf8')).toBe(whole + later);

  const again = await place.jsonHere('sessions', 'compact', KEY, '--yes');
  expect(again).toMatchObject({ compacted: false, reason: 'nothing to remove', archived: [], undo: [] });
});

test('prune: first what would go, then what goes, and back', async () => {
  const day = 86_400_000;
  const entryOf = (sessionId: string, days: number) => ({ sessionId, updatedAt: Date.now() - days * day });
  const ids = [1, 2, 3].map((last) => `00000000-0000-4000-8000-00000000000${last}`);
  const place = makePlace(
    {
      'agent:main:main': entryOf(ids[0]!, 400),
      'agent:main:dm:old': entryOf(ids[1]!, 60),
      'agent:main:dm:new': entryOf(ids[2]!, 1),
    },
    { 'openbot.json': '{}' },
  );
  for (const id of ids) writeTranscript(place, id, 2);
  const before = snapshot(place.stateDir);
  const plan = await place.jsonHere<{ pruned: Changed[] }>('sessions', 'prune', '--dry-run');
  expect(plan).toMatchObject({ dryRun: true, kept: 2, failed: [] });
  expect(plan.pruned).toMatchObject([{ key: 'agent:main:dm:old', reason: 'age' }]);
  expect(snapshot(place.stateDir)).toEqual(before);
  const done = await place.json<{ pruned: Changed[] }>('sessions', 'prune', '--older-than', '12h', '--yes');
  expect(done.pruned.map(({ key }) => key)).toEqual(['agent:main:dm:old', 'agent:main:dm:new']);
  expect(Object.keys(place.store())).toEqual(['agent:main:main']);
  await undo(place, done.pruned[1]!.undo[0]);
  expect(place.store()['agent:main:dm:new']!.sessionId).toBe(ids[2]);
  const limited = await place.jsonHere('sessions', 'prune', '--keep', '1', '--yes');
  expect(limited).toMatchObject({ pruned: [{ key: 'agent:main:dm:new', reason: 'count' }], kept: 1 });
});

test('a session without a transcript comes back too, and what can come back is listed', async () => {
  const entry = (last: number, updatedAt = Date.now()) => ({
    ...{ sessionId: `00000000-0000-4000-8000-00000000000${last}`, updatedAt, thinkingLevel: 'high' },
  });
  const store = { 'agent:main:dm:one': entry(1), 'agent:main:dm:old': entry(2, 1) };
  const place = makePlace(store, { 'openbot.json': '{}' });
  const none = await place.runHere('sessions', 'restore');
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('no archives')]);
  const pruned = await place.jsonHere<{ pruned: Changed[] }>('sessions', 'prune', '--yes');
  const told = await place.runHere('sessions', 'delete', 'dm:one', '--yes');
  expect(told.stdout).toContain('It had no transcript; what was set for it is archived.');
  expect(place.store()).toEqual({});
  const listed = await place.runHere('sessions', 'restore');
  expect(listed.stdout).toMatch(/^0{8}-0000-4000-8000-0{11}1 +deleted, no transcript +just now/m);
  const { archives } = JSON.parse((await place.runHere('sessions', 'restore', '--json')).stdout);
  expect(archives).toMatchObject([{ kind: 'deleted', isEntryOnly: true }, { agentId: 'main' }]);
  await undo(place, pruned.pruned[0]!.undo[0]);
  await place.jsonHere('sessions', 'restore', entry(1).sessionId, '--yes');
  expect(place.store()).toMatchObject({
    'agent:main:dm:one': { sessionId: entry(1).sessionId, thinkingLevel: 'high' },
    'agent:main:dm:old': { sessionId: entry(2).sessionId, thinkingLevel: 'high' },
  });
  expect(namesIn(place)).toEqual(['sessions.json']);
});

test('prune names the way back of each session', async () => {
  const ids = [1, 2].map((last) => `00000000-0000-4000-8000-00000000000${last}`);
  const entries = ids.map((sessionId, at) => [`agent:main:dm:${at}`, { sessionId, updatedAt: 1 }]);
  const place = makePlace(Object.fromEntries(entries), { 'openbot.json': '{}' });
  for (const id of ids) writeTranscript(place, id, 2);
  const { code, stdout } = await place.run('sessions', 'prune', '--older-than', '12h', '--yes');
  expect(code).toBe(0);
  const undos = [...stdout.matchAll(/To undo: openbot sessions restore (\S+)/g)].map(([, id]) => id);
  expect(undos.sort()).toEqual(ids);
});

test('label: given, unique, taken away', async () => {
  const place = makeOwnPlace();
  expect(await place.json('sessions', 'label', ID.slice(0, 8), '  day to day ')).toEqual({
    ...{ key: KEY, sessionId: ID, label: 'day to day', previousLabel: 'ada' },
  });
  expect(place.store()[KEY]).toMatchObject({ label: 'day to day', skillsSnapshot: { prompt: 'skills' } });
  expect((await place.run('sessions', 'label', 'day to day', '--clear')).stdout).toBe(
    `${KEY} has no label, before 'day to day'\n`,
  );
  expect(place.store()[KEY]).not.toHaveProperty('label');
  for (const args of [['x'.repeat(65)], [''], [], ['a', '--clear']]) {
    expect((await place.runHere('sessions', 'label', KEY, ...args)).code).not.toBe(0);
  }
});

test('without a terminal nothing is removed unless --yes says so', async () => {
  const place = makeOwnPlace();
  const before = snapshot(place.stateDir);
  for (const args of [
    ['reset', KEY],
    ['delete', KEY],
    ['compact', KEY, '--keep-lines', '1'],
  ]) {
    const { code, stderr } = await place.runHere('sessions', ...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Add --yes');
  }
  expect(snapshot(place.stateDir)).toEqual(before);
});

test('a session that another process runs, or writes to, stays as it is, and who does is said', async () => {
  const place = makeOwnPlace();
  const runs = openFileRunLock(place.stateDir);
  const run = await runs.acquire(KEY, { waitMs: 0 });
  const running = await place.run('sessions', 'delete', KEY, '--yes');
  expect(running.stderr).toMatch(new RegExp(`${KEY} is in use: process ${process.pid} .* runs it`));
  expect((await place.run('sessions', 'show', KEY)).stdout).toContain(`process ${process.pid}`);
  await run!.release();
  await runs.close();
  const path = join(place.sessionsDir, `${ID}.jsonl`);
  await withTranscriptLock(path, async () => {
    for (const what of ['reset', 'delete', 'compact']) {
      const { code, stderr } = await place.run('sessions', what, KEY, '--yes', '--json');
      expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'SESSION_IN_USE']);
      expect(stderr).toContain(`process ${process.pid}`);
    }
  });
  expect(place.store()[KEY]!.sessionId).toBe(ID);
  expect(existsSync(path)).toBe(true);
});

test('--store of another state folder: its runs count, and where they cannot be known nothing is removed', async () => {
  const place = makeOwnPlace();
  const caller = makePlace(undefined, { 'openbot.json': '{}' });
  writeFileSync(join(place.stateDir, 'openbot.json'), JSON.stringify({ session: { mainKey: 'work' } }));
  const main = { sessionId: `${ID.slice(0, -1)}7`, updatedAt: 1 };
  const storePath = join(place.sessionsDir, 'sessions.json');
  writeFileSync(storePath, JSON.stringify({ ...place.store(), 'agent:main:main': main }));
  const before = place.store();
  const runs = openFileRunLock(place.stateDir);
  // A run of the main session has its configured name.
  for (const [key, address] of [
    [KEY, KEY],
    ['agent:main:main', 'agent:main:work'],
  ] as const) {
    const run = await runs.acquire(address, { waitMs: 0 });
    for (const what of ['reset', 'delete', 'compact']) {
      const args = ['sessions', what, key, '--yes', '--json', '--store', storePath];
      const { code, stderr } = await caller.runHere(...args);
      expect([what, code, JSON.parse(stderr).error.code]).toEqual([what, 1, 'SESSION_IN_USE']);
    }
    await run!.release();
  }
  const run = await runs.acquire(KEY, { waitMs: 0 });
  const prune = ['sessions', 'prune', '--older-than', '1ms', '--yes', '--store', storePath];
  expect(await caller.jsonHere(...prune)).toMatchObject({ pruned: [] });
  await run!.release();
  expect(place.store()).toEqual(before);

  // Any state folder may have this path as its session.store.
  const copy = join(place.home, 'copy.json');
  writeFileSync(copy, readFileSync(storePath));
  const archive = join(place.home, `${ID}.jsonl.deleted.2026-11-15T18-14-09.411Z`);
  writeFileSync(archive, '');
  for (const args of [
    ['reset', KEY],
    ['delete', KEY],
    ['compact', KEY],
    ['restore', archive],
    ['prune', '--older-than', '1ms'],
  ]) {
    const { code, stderr } = await caller.runHere('sessions', ...args, '--yes', '--json', '--store', copy);
    expect([args[0], code, JSON.parse(stderr).error.code]).toEqual([args[0], 1, 'SESSION_UNSUPPORTED']);
    expect(stderr).toContain('--state-dir');
  }
  expect(readFileSync(copy)).toEqual(readFileSync(storePath));
  const configured = JSON.stringify({ session: { store: copy } });
  writeFileSync(join(caller.stateDir, 'openbot.json'), configured);
  expect(await caller.jsonHere('sessions', 'delete', KEY, '--yes', '--store', copy)).toMatchObject({
    key: KEY,
  });
  expect(await caller.jsonHere('sessions', 'delete', KEY, '--yes', '--store', storePath)).toMatchObject({
    key: KEY,
  });
});

test("OpenClaw's database: a label is written, the rest is left to OpenClaw", async () => {
  const place = await makeDatabasePlace();
  await place.json('sessions', 'label', 'think', 'deep');
  const { sessions } = await place.jsonHere<{ sessions: { key: string; label?: string }[] }>('sessions');
  expect(sessions.find(({ key }) => key === 'agent:main:think')?.label).toBe('deep');
  const shown = await place.jsonHere<{ transcript: object; keptIn: string }>('sessions', 'show', 'deep');
  expect(shown).toMatchObject({ keptIn: "OpenClaw's database", transcript: { isThere: true } });
  // Found by the same rules, whatever the case of a label.
  const named = await place.jsonHere('sessions', 'set', 'DEEP', 'label=deeper');
  expect(named).toMatchObject({ key: 'agent:main:think', changed: ['label'] });
  const { entry: before } = await place.jsonHere<{ entry: object }>('sessions', 'show', 'deeper');
  for (const [args, hint] of [
    [['set', 'deeper', 'think=high'], 'openbot init --from-openclaw'],
    [['set', 'deeper', 'label=other', 'send=off'], 'in the chat'],
    [['set', 'deeper', '--unset', 'queue'], 'in the chat'],
    [['reset', 'deeper', '--yes'], 'sessions.reset'],
    [['delete', 'deeper', '--yes'], 'openclaw sessions delete agent:main:think'],
    [['compact', 'deeper', '--yes'], 'openclaw sessions compact agent:main:think'],
  ] as const) {
    const { code, stderr } = await place.runHere('sessions', ...args, '--json');
    expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'SESSION_UNSUPPORTED']);
    expect(stderr).toContain(hint);
  }
  expect((await place.jsonHere('sessions', 'show', 'deeper')).entry).toEqual(before);
});

test("a folder of OpenClaw's database takes no turns, and nothing is made in it", async () => {
  const place = await makeDatabasePlace();
  const before = snapshot(place.stateDir);
  const { code, stderr } = await place.runHere('agent', '-m', 'hi', '--json');
  expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'SESSION_UNSUPPORTED']);
  expect(stderr).toContain(`openbot init --from-openclaw ${place.stateDir}`);
  expect(snapshot(place.stateDir)).toEqual(before);
});

test('what is not found, or ambiguous, is said in the same words by all commands', async () => {
  const place = makeOwnPlace();
  const other = { sessionId: `${ID.slice(0, -1)}9`, updatedAt: 1 };
  writeFileSync(
    join(place.sessionsDir, 'sessions.json'),
    JSON.stringify({ ...place.store(), 'agent:main:other': other }),
  );
  writeTranscript(place, other.sessionId, 2);
  for (const [name, code] of [
    ['agent:main:telegram:dm:43', 'SESSION_NOT_FOUND'],
    [ID.slice(0, 8), 'AMBIGUOUS_SESSION'],
  ] as const) {
    const said: string[] = [];
    for (const words of ['sessions show', 'sessions set', 'sessions export', 'history']) {
      said.push((await place.runHere(...words.split(' '), name, '--json')).stderr);
    }
    expect(new Set(said).size).toBe(1);
    expect(JSON.parse(said[0]!).error.code).toBe(code);
  }
  for (const words of ['search hello', 'usage', 'sessions', 'history main']) {
    const { code, stderr } = await place.runHere(...words.split(' '), '--agent', 'nope', '--json');
    expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'AGENT_NOT_FOUND']);
  }
});

test('an archive that a chat made needs the key; one that is gone, or ambiguous, is said', async () => {
  const place = makeOwnPlace();
  const archive = join(place.sessionsDir, `${ID}.jsonl.reset.2026-11-15T18-14-09.411Z`);
  writeFileSync(archive, readFileSync(join(place.sessionsDir, `${ID}.jsonl`)));
  writeFileSync(join(place.sessionsDir, 'sessions.json'), '{}');
  const asked = await place.run('sessions', 'restore', archive, '--yes');
  expect(asked.stderr).toContain('--key agent:main:main');
  // Its transcript has its own name again, and is not replaced.
  const there = await place.runHere('sessions', 'restore', archive, '--yes', '--key', KEY, '--json');
  expect(JSON.parse(there.stderr).error.code).toBe('TRANSCRIPT_EXISTS');
  const none = await place.runHere('sessions', 'restore', 'ffff', '--yes', '--json');
  expect(JSON.parse(none.stderr).error.code).toBe('SESSION_NOT_FOUND');
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { acquireLock } from '../../src/exports/disk.ts';
import {
  deleteSession,
  initSessionState,
  persistSessionUsageUpdate,
  pruneSessions,
  resetSession,
  setSdkSessionId,
} from '../../src/index.ts';
import { countingIds, DAY, NOW, readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const KEY = 'agent:main:main';
const STAMP = '2026-03-10T12-00-00.000Z';
const entry = { sessionId: 's', updatedAt: NOW - 1000, label: 'mine' };

const remove = (params: Partial<Parameters<typeof deleteSession>[0]> = {}) =>
  deleteSession({ storePath: agent.storePath, sessionKey: KEY, now: () => NOW, ...params });
const init = (Body = 'hi') =>
  initSessionState({
    ctx: { Body, CommandAuthorized: true },
    cfg: {},
    storePath: agent.storePath,
    now: () => NOW,
    newId: countingIds('next'),
  });

describe('deleteSession', () => {
  it('removes the entry and archives every transcript of it', async () => {
    await agent.talk('s', ['one', 'two']);
    await agent.talk('s', ['in a topic'], 's-topic-1.jsonl');
    agent.writeStore({ [KEY]: entry, 'agent:main:other': { sessionId: 'o', updatedAt: 1 } });
    expect(await remove()).toEqual({
      deleted: true,
      sessionKey: KEY,
      sessionId: 's',
      archived: [agent.path(`s.jsonl.deleted.${STAMP}`), agent.path(`s-topic-1.jsonl.deleted.${STAMP}`)],
    });
    expect(Object.keys(agent.readStore())).toEqual(['agent:main:other']);
    expect(agent.files()).toEqual([`s-topic-1.jsonl.deleted.${STAMP}`, `s.jsonl.deleted.${STAMP}`]);
    expect(readWithPi(agent.path(`s.jsonl.deleted.${STAMP}`))).toEqual(['user: one', 'assistant: two']);
    expect(await remove()).toEqual({ deleted: false, sessionKey: KEY, archived: [] });
  });

  it('keeps the transcript where it is asked to, or where another entry uses it', async () => {
    await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: entry });
    expect(await remove({ keepTranscript: true })).toMatchObject({ deleted: true, archived: [] });
    expect(agent.readStore()).toEqual({});
    agent.writeStore({ [KEY]: entry, 'agent:main:x': { sessionId: 's', updatedAt: 1 } });
    expect(await remove()).toMatchObject({ deleted: true, archived: [] });
    expect(Object.keys(agent.readStore())).toEqual(['agent:main:x']);
    expect(agent.files()).toEqual(['s.jsonl']);
  });

  it('a transcript in use keeps the session as it was', async () => {
    const path = await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: entry });
    const lock = await acquireLock(`${path}.lock`);
    await expect(remove({ lock: { timeoutMs: 30 } })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await lock.release();
    expect(agent.entry()).toEqual(entry);
    expect(agent.files()).toEqual(['s.jsonl']);
  });

  it('until a transcript in use is free, every other call finds the session as it was', async () => {
    const path = await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: entry });
    const lock = await acquireLock(`${path}.lock`);
    const place = { storePath: agent.storePath, sessionKey: KEY, now: () => NOW };
    const removal = remove({ lock: { timeoutMs: 600 } }).catch((error) => error);
    await sleep(200);
    expect(agent.entry()).toEqual(entry);
    await persistSessionUsageUpdate({ ...place, usage: { input: 7, output: 1 } });
    expect(await setSdkSessionId({ ...place, sdkSessionId: 'sdk' })).toMatchObject({ sdkSessionId: 'sdk' });
    expect(await init()).toMatchObject({ sessionId: 's', isNewSession: false });
    expect(await removal).toMatchObject({ code: 'LOCK_TIMEOUT' });
    await lock.release();
    expect(agent.entry()).toMatchObject({ ...entry, updatedAt: NOW, inputTokens: 7, sdkSessionId: 'sdk' });
    expect(agent.entry()).not.toHaveProperty('pendingArchives');
    expect(agent.files()).toEqual(['s.jsonl']);
  });

  it('a topic in use keeps the whole session, and nothing of it was archived', async () => {
    await agent.talk('s', ['one']);
    const topic = await agent.talk('s', ['in a topic'], 's-topic-1.jsonl');
    agent.writeStore({ [KEY]: entry });
    const lock = await acquireLock(`${topic}.lock`);
    await expect(remove({ lock: { timeoutMs: 30 } })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await lock.release();
    expect(agent.entry()).toEqual(entry);
    expect(agent.files()).toEqual(['s-topic-1.jsonl', 's.jsonl']);
  });

  it('a session that the key got while the old transcript was waited for goes too', async () => {
    const path = await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: entry });
    const lock = await acquireLock(`${path}.lock`);
    const removal = remove();
    const lost = remove({ expectedSessionId: 's' }).catch((error) => error);
    await sleep(100);
    const place = { storePath: agent.storePath, sessionKey: KEY, now: () => NOW, newId: () => 'n' };
    await resetSession({ ...place, cwd: '/work', lock: { timeoutMs: 0 } });
    await lock.release();
    expect(await removal).toMatchObject({ deleted: true, sessionId: 'n' });
    expect(await lost).not.toHaveProperty('sessionId', 'n');
    expect(agent.readStore()).toEqual({});
    expect(agent.files()).toEqual([`n.jsonl.deleted.${STAMP}`, `s.jsonl.reset.${STAMP}`]);
  });

  it('takes every spelling of the key along', async () => {
    const dm = { sessionId: 'a', updatedAt: NOW - 5000 };
    const direct = { sessionId: 'b', updatedAt: NOW - 1000 };
    const loud = { sessionId: 'c', updatedAt: NOW - 9000 };
    const keys = ['agent:main:telegram:dm:42', 'agent:main:telegram:direct:42', 'agent:main:Telegram:dm:42'];
    const sessionKey = keys[0]!;
    for (const id of ['a', 'b', 'c']) await agent.talk(id, [id]);
    agent.writeStore({ [keys[0]!]: dm, [keys[1]!]: direct, [keys[2]!]: loud, [KEY]: entry });
    const lock = await acquireLock(`${agent.path('a.jsonl')}.lock`);
    const busy = remove({ sessionKey, lock: { timeoutMs: 30 } });
    await expect(busy).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await lock.release();
    expect(Object.keys(agent.readStore())).toHaveLength(4);
    expect(await remove({ sessionKey })).toEqual({
      deleted: true,
      sessionKey: keys[1],
      sessionId: 'b',
      archived: ['b', 'a', 'c'].map((id) => agent.path(`${id}.jsonl.deleted.${STAMP}`)),
    });
    expect(Object.keys(agent.readStore())).toEqual([KEY]);
  });

  it('a store that does not parse is left alone', async () => {
    const path = await agent.talk('s', ['one']);
    const before = readFileSync(path);
    writeFileSync(agent.storePath, '{"agent:main:main":');
    await expect(remove()).rejects.toMatchObject({ code: 'STORE_PARSE_FAILED' });
    expect(readFileSync(agent.storePath, 'utf8')).toBe('{"agent:main:main":');
    expect(readFileSync(path)).toEqual(before);
  });

  it('refuses another session than the one expected', async () => {
    agent.writeStore({ [KEY]: entry });
    await expect(remove({ expectedSessionId: 'x' })).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(agent.entry()).toEqual(entry);
  });

  it('an entry without a usable session id can be deleted', async () => {
    agent.writeStore({ [KEY]: { sessionId: '../x' }, 'agent:main:y': {} });
    expect((await remove()).deleted).toBe(true);
    expect((await remove({ sessionKey: 'agent:main:y' })).deleted).toBe(true);
    expect(agent.readStore()).toEqual({});
  });

  it('takes the archives along that a reset did not get to', async () => {
    const path = await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: entry });
    const lock = await acquireLock(`${path}.lock`);
    await resetSession({
      storePath: agent.storePath,
      sessionKey: KEY,
      now: () => NOW,
      newId: () => 'n',
      lock: { timeoutMs: 20 },
    });
    await lock.release();
    await agent.talk('n', ['two']);
    await remove({ keepTranscript: true });
    expect(agent.readStore()).toEqual({});
    expect(agent.files()).toEqual(['n.jsonl', `s.jsonl.reset.${STAMP}`]);
  });
});

describe('a deletion that was killed halfway', () => {
  const marked = {
    ...entry,
    pendingArchives: [{ sessionId: 's', reason: 'deleted', at: NOW }],
  };

  it('counts as done, and the next call finishes it', async () => {
    await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: marked });
    expect(await remove()).toMatchObject({ deleted: true });
    expect(agent.readStore()).toEqual({});
    expect(agent.files()).toEqual([`s.jsonl.deleted.${STAMP}`]);
  });

  it('a message starts from nothing', async () => {
    await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: marked });
    const result = await init();
    expect(result).toMatchObject({ sessionId: 'next-1', isNewSession: true });
    expect(result).not.toHaveProperty('previousSessionEntry');
    expect(agent.entry().label).toBeUndefined();
    expect(agent.entry()).not.toHaveProperty('pendingArchives');
    expect(agent.files()).toEqual([`s.jsonl.deleted.${STAMP}`]);
  });

  it('no other call finds the session', async () => {
    agent.writeStore({ [KEY]: marked });
    const place = { storePath: agent.storePath, sessionKey: KEY };
    await expect(resetSession(place)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('pruning finishes it too', async () => {
    await agent.talk('s', ['one']);
    agent.writeStore({ [KEY]: marked });
    const report = await pruneSessions({ storePath: agent.storePath, now: () => NOW });
    expect(report).toEqual({
      pruned: [],
      failed: [],
      finished: [agent.path(`s.jsonl.deleted.${STAMP}`)],
      kept: 0,
    });
  });

  it('invalid marks are ignored', async () => {
    const pendingArchives = [
      null,
      7,
      { sessionId: '../../x', reason: 'reset', at: NOW },
      { sessionId: 'y', reason: 'burn', at: NOW },
      { sessionId: 'y', reason: 'reset', at: 'soon' },
    ];
    agent.writeStore({ [KEY]: { ...entry, pendingArchives } });
    expect(await init()).toMatchObject({ sessionId: 's', isNewSession: false });
    agent.writeStore({ [KEY]: { ...entry, pendingArchives: 'x' } });
    expect(await init()).toMatchObject({ sessionId: 's', isNewSession: false });
  });
});

describe('pruneSessions', () => {
  const old = (sessionId: string, days: number) => ({ sessionId, updatedAt: NOW - days * DAY });
  const prune = (params: Partial<Parameters<typeof pruneSessions>[0]> = {}) =>
    pruneSessions({ storePath: agent.storePath, now: () => NOW, ...params });

  it('removes what is old, archives it, and says so', async () => {
    await agent.talk('a', ['one']);
    await agent.talk('b', ['two']);
    agent.writeStore({
      [KEY]: old('main', 400),
      'agent:main:dm:a': old('a', 40),
      'agent:main:dm:b': old('b', 2),
    });
    const plan = await prune({ dryRun: true });
    expect(plan.pruned.map(({ sessionKey }) => sessionKey)).toEqual(['agent:main:dm:a']);
    expect(agent.files()).toEqual(['a.jsonl', 'b.jsonl']);
    expect(await prune()).toEqual({
      pruned: [
        {
          sessionKey: 'agent:main:dm:a',
          sessionId: 'a',
          reason: 'age',
          archived: [agent.path(`a.jsonl.deleted.${STAMP}`)],
        },
      ],
      failed: [],
      finished: [],
      kept: 2,
    });
    expect(Object.keys(agent.readStore())).toEqual([KEY, 'agent:main:dm:b']);
    expect(agent.files()).toEqual([`a.jsonl.deleted.${STAMP}`, 'b.jsonl']);
  });

  it('keeps transcripts where it is asked to, and sessions in use', async () => {
    await agent.talk('a', ['one']);
    const busy = await agent.talk('b', ['two']);
    agent.writeStore({ 'agent:main:dm:a': old('a', 40), 'agent:main:dm:b': old('b', 40) });
    expect(await prune({ transcripts: 'keep', activeKeys: ['agent:main:dm:b'] })).toMatchObject({
      pruned: [{ sessionId: 'a', archived: [] }],
      kept: 1,
    });
    const lock = await acquireLock(`${busy}.lock`);
    expect(await prune()).toMatchObject({
      pruned: [],
      failed: [{ sessionKey: 'agent:main:dm:b', error: { code: 'LOCK_TIMEOUT' } }],
      kept: 1,
    });
    await lock.release();
    expect(agent.entry('agent:main:dm:b')).toEqual(old('b', 40));
    expect(await prune({ maxAgeMs: Number.POSITIVE_INFINITY, maxEntries: 1 })).toMatchObject({ pruned: [] });
  });

  it('two entries of one session: the transcript goes with the last', async () => {
    await agent.talk('a', ['one']);
    agent.writeStore({ 'agent:main:dm:a': old('a', 40), 'agent:main:dm:b': old('a', 40) });
    const { pruned } = await prune();
    expect(pruned.map(({ archived }) => archived.length).sort()).toEqual([0, 1]);
    expect(agent.readStore()).toEqual({});
  });

  it('many at once: every one is archived, and what is in use stays', async () => {
    const store: Record<string, object> = {};
    mkdirSync(agent.folder, { recursive: true });
    for (let n = 0; n < 300; n++) {
      store[`agent:main:dm:${n}`] = old(`s${n}`, 40);
      writeFileSync(agent.path(`s${n}.jsonl`), `${n}\n`);
    }
    writeFileSync(agent.path('s7-topic-x.jsonl'), 'x\n');
    agent.writeStore(store);
    const busy = [7, 70, 299];
    const names = ['s7-topic-x.jsonl', 's70.jsonl', 's299.jsonl'];
    const locks = await Promise.all(names.map((name) => acquireLock(`${agent.path(name)}.lock`)));
    const { pruned, failed, kept } = await prune();
    for (const lock of locks) await lock.release();
    expect(pruned).toHaveLength(297);
    expect(pruned.every(({ reason, archived }) => reason === 'age' && archived.length === 1)).toBe(true);
    expect(failed.map(({ sessionKey }) => sessionKey).sort()).toEqual(
      busy.map((n) => `agent:main:dm:${n}`).sort(),
    );
    expect(kept).toBe(3);
    expect(agent.readStore()).toEqual(
      Object.fromEntries(busy.map((n) => [`agent:main:dm:${n}`, old(`s${n}`, 40)])),
    );
    const left = agent.files().filter((name) => name.endsWith('.jsonl'));
    expect(left).toEqual([...names, 's7.jsonl'].sort());
    expect(agent.files()).toHaveLength(297 + 4);
  });

  it('a session that is used while others are removed stays', async () => {
    agent.writeStore({ 'agent:main:dm:a': old('a', 40), 'agent:main:dm:b': old('b', 40) });
    let looks = 0;
    // Asked a second time once the transcripts are locked.
    const keep = (key: string) => key === 'agent:main:dm:b' && ++looks > 1;
    expect(await prune({ keep })).toMatchObject({ pruned: [{ sessionId: 'a' }], failed: [], kept: 1 });
    expect(agent.readStore()).toEqual({ 'agent:main:dm:b': old('b', 40) });
  });

  it('a dry run counts as the real one does', async () => {
    const gone = { ...old('c', 2), pendingArchives: [{ sessionId: 'c', reason: 'deleted', at: NOW }] };
    agent.writeStore({
      'agent:main:dm:a': old('a', 40),
      'agent:main:dm:b': old('b', 2),
      'agent:main:dm:c': gone,
    });
    expect(await prune({ dryRun: true })).toMatchObject({ pruned: [{ sessionId: 'a' }], kept: 1 });
    expect(await prune()).toMatchObject({ pruned: [{ sessionId: 'a' }], kept: 1 });
  });

  it('an unreadable entry is kept, an unreadable store stops it', async () => {
    agent.writeStore({ 'agent:main:dm:a': old('a', 40), 'agent:main:dm:b': [1] as never });
    await prune();
    expect(JSON.parse(readFileSync(agent.storePath, 'utf8'))).toEqual({ 'agent:main:dm:b': [1] });
    await expect(prune({ maxEntries: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { acquireLock } from '../../src/exports/disk.ts';
import { withTranscriptLock } from '../../src/exports/transcript.ts';
import {
  appendToTranscript,
  initSessionState,
  onSessionTranscriptUpdate,
  resetSession,
  resolveSession,
} from '../../src/index.ts';
import type { SessionName } from '../../src/lifecycle/resolve-session.ts';
import { user } from '../setup/drafts.ts';
import { countingIds, NOW, readLines, readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const KEY = 'agent:main:main';
const ARCHIVE = 'old.jsonl.reset.2026-03-10T12-00-00.000Z';
const entry = { sessionId: 'old', updatedAt: NOW - 1000, label: 'mine', totalTokens: 9 };

const reset = (params: Partial<Parameters<typeof resetSession>[0]> = {}) =>
  resetSession({
    storePath: agent.storePath,
    sessionKey: KEY,
    now: () => NOW,
    newId: countingIds(),
    ...params,
  });

describe('resetSession', () => {
  it('gives the key a new session and archives the old transcript', async () => {
    const path = await agent.talk('old', ['one', 'two']);
    const bytes = readFileSync(path);
    agent.writeStore({ [KEY]: entry });
    const updates: string[] = [];
    const end = onSessionTranscriptUpdate(({ sessionFile }) => updates.push(sessionFile));
    const result = await reset();
    end();
    expect(result).toMatchObject({
      sessionKey: KEY,
      sessionId: 'id-1',
      previousSessionEntry: entry,
      archived: [agent.path(ARCHIVE)],
    });
    expect(result.sessionEntry).toEqual(agent.entry());
    expect(agent.entry()).toEqual({
      sessionId: 'id-1',
      updatedAt: NOW,
      sessionStartedAt: NOW,
      sessionFile: agent.path('id-1.jsonl'),
      systemSent: false,
      abortedLastRun: false,
      compactionCount: 0,
      label: 'mine',
    });
    expect(readFileSync(agent.path(ARCHIVE))).toEqual(bytes);
    expect(agent.files()).toEqual([ARCHIVE]);
    expect(updates).toEqual([path]);
  });

  it('makes the new transcript at once if the working folder is given', async () => {
    agent.writeStore({ 'agent:main:telegram:group:1:topic:7': entry });
    await reset({ sessionKey: 'agent:main:telegram:group:1:topic:7', cwd: '/work' });
    expect(agent.files()).toEqual(['id-1-topic-7.jsonl']);
    expect(readLines(agent.path('id-1-topic-7.jsonl'))).toMatchObject([{ id: 'id-1', cwd: '/work' }]);
    expect(readWithPi(agent.path('id-1-topic-7.jsonl'))).toEqual([]);
  });

  it('refuses a key that has no session, and one that points elsewhere by now', async () => {
    agent.writeStore({ [KEY]: entry });
    const before = readFileSync(agent.storePath);
    await expect(reset({ sessionKey: 'agent:main:nobody' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(reset({ expectedSessionId: 'other' })).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(readFileSync(agent.storePath)).toEqual(before);
    expect((await reset({ expectedSessionId: 'old' })).sessionId).toBe('id-1');
  });

  it('a run that still writes keeps its file; the next call archives it', async () => {
    const path = await agent.talk('old', ['one']);
    agent.writeStore({ [KEY]: entry });
    let finishRun = () => {};
    const running = new Promise<void>((resolve) => {
      finishRun = resolve;
    });
    const run = withTranscriptLock(path, async () => {
      await running;
      await appendToTranscript(path, user('the end of the run'));
    });
    const result = await reset({ lock: { timeoutMs: 50 } });
    expect(result).toMatchObject({
      sessionId: 'id-1',
      archived: [],
      archiveError: { code: 'LOCK_TIMEOUT' },
    });
    expect(agent.files()).toEqual(['old.jsonl', 'old.jsonl.lock']);
    expect(agent.entry().pendingArchives).toHaveLength(1);

    const failures: unknown[] = [];
    const next = () =>
      initSessionState({
        ctx: { Body: 'hi' },
        cfg: {},
        storePath: agent.storePath,
        now: () => NOW,
        onArchiveFailure: (error) => failures.push(error),
      });
    expect(await next()).toMatchObject({ sessionId: 'id-1', isNewSession: false });
    expect(agent.files()).toContain('old.jsonl');
    expect(failures).toEqual([]);
    finishRun();
    await run;
    expect((await next()).sessionEntry).not.toHaveProperty('pendingArchives');
    expect(agent.files()).toEqual([ARCHIVE]);
    expect(readWithPi(agent.path(ARCHIVE))).toEqual(['user: one', 'user: the end of the run']);
    expect(agent.entry()).not.toHaveProperty('pendingArchives');
  });

  it('a message that resets reports a transcript in use with a process warning', async () => {
    const path = await agent.talk('old', ['one']);
    agent.writeStore({ [KEY]: entry });
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const lock = await acquireLock(`${path}.lock`);
    await initSessionState({
      ctx: { Body: '/new', CommandAuthorized: true },
      cfg: {},
      storePath: agent.storePath,
      now: () => NOW,
      lock: { timeoutMs: 20 },
    });
    await lock.release();
    expect(await warned).toMatchObject({ code: 'OPENBOT_ARCHIVE' });
  });

  it('a session that a key leads to again is not archived', async () => {
    const path = await agent.talk('old', ['one']);
    agent.writeStore({ [KEY]: entry });
    const lock = await acquireLock(`${path}.lock`);
    await reset({ lock: { timeoutMs: 20 } });
    await lock.release();
    const { pendingArchives } = agent.entry();
    agent.writeStore({ [KEY]: { ...entry, pendingArchives } });
    const ctx = { Body: 'hi' };
    await initSessionState({ ctx, cfg: {}, storePath: agent.storePath, now: () => NOW });
    expect(agent.files()).toEqual(['old.jsonl']);
    expect(agent.entry()).not.toHaveProperty('pendingArchives');
  });

  it('a folder with the name of a transcript is not changed', async () => {
    agent.writeStore({ [KEY]: entry });
    mkdirSync(agent.path('old.jsonl'));
    expect(await reset()).toMatchObject({ sessionId: 'id-1', archived: [] });
    expect(agent.files()).toEqual(['old.jsonl']);
  });

  it('a store that does not parse stops the reset, and nothing is archived', async () => {
    await agent.talk('old', ['one']);
    writeFileSync(agent.storePath, '{"agent:main:main": {"sessionId": "old"');
    await expect(reset()).rejects.toMatchObject({ code: 'STORE_PARSE_FAILED' });
    expect(agent.files()).toEqual(['old.jsonl']);
  });

  it('a clock that goes back makes archives that are all there', async () => {
    let now = NOW;
    agent.writeStore({ [KEY]: entry });
    for (let round = 0; round < 4; round++) {
      await agent.talk(agent.entry().sessionId, [`round ${round}`]);
      await reset({ now: () => now, newId: () => `r${round}` });
      now -= 60_000;
    }
    expect(agent.files()).toHaveLength(4);
    expect(agent.entry().updatedAt).toBe(now + 60_000);
  });
});

describe('resolveSession', () => {
  const named = (name: SessionName) => resolveSession({ storePath: agent.storePath, ...name });

  it('finds a session by key, id or label', async () => {
    agent.writeStore({
      [KEY]: entry,
      'agent:main:telegram:direct:4': { sessionId: 'b', updatedAt: 1, label: 'twice' },
      'agent:main:x': { sessionId: 'c', updatedAt: 2, label: 'twice' },
    });
    expect(await named({ sessionKey: 'agent:main:telegram:dm:4' })).toMatchObject({
      entry: { sessionId: 'b' },
    });
    expect(await named({ sessionId: 'c' })).toMatchObject({ key: 'agent:main:x' });
    expect(await named({ label: 'mine' })).toMatchObject({ key: KEY });
    await expect(named({ label: 'twice' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      hint: expect.stringContaining('agent:main:x'),
    });
    await expect(named({ sessionId: 'nobody' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(named({ sessionKey: 'agent:main:nobody' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(named({ label: ' ' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { acquireLock } from '../../src/exports/disk.ts';
import {
  appendToTranscript,
  forkSessionFromParent,
  initSessionState,
  type MsgContext,
} from '../../src/index.ts';
import { user } from '../setup/drafts.ts';
import { asJsonl, generatedTree } from '../transcript/generated-tree.ts';
import { countingIds, MINUTE, NOW, readLines, readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const FIXTURES = join(import.meta.dirname, '../../../../fixtures');

const fork = (parentEntry: { sessionId: string; sessionFile?: string }) =>
  forkSessionFromParent({
    parentEntry,
    storePath: agent.storePath,
    now: () => NOW,
    newId: () => 'fork',
  });

describe('forkSessionFromParent', () => {
  it('begins with the parent’s conversation and names its file', async () => {
    const path = await agent.talk('parent', ['one', 'two', 'three']);
    const parent = readFileSync(path, 'utf8');
    expect(await fork({ sessionId: 'parent' })).toEqual({
      sessionId: 'fork',
      sessionFile: agent.path('fork.jsonl'),
    });
    const [header, ...lines] = readFileSync(agent.path('fork.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(header!)).toEqual({
      type: 'session',
      version: 3,
      id: 'fork',
      timestamp: '2026-03-10T12:00:00.000Z',
      cwd: '/work',
      parentSession: path,
    });
    expect(lines).toEqual(parent.split('\n').slice(1));
    expect(readWithPi(agent.path('fork.jsonl'))).toEqual(readWithPi(path));
    expect(readFileSync(path, 'utf8')).toBe(parent);
    expect(agent.files()).toEqual(['fork.jsonl', 'parent.jsonl']);
    await appendToTranscript(agent.path('fork.jsonl'), user('goes its own way'));
    expect(readWithPi(agent.path('fork.jsonl'))).toHaveLength(4);
    expect(readWithPi(path)).toHaveLength(3);
  });

  it('leaves abandoned branches behind', async () => {
    const path = await agent.talk('parent', ['root', 'abandoned']);
    const pi = SessionManager.open(path);
    pi.branch(pi.getEntries()[0]!.id);
    pi.appendMessage({ role: 'user', content: 'taken', timestamp: 1 });
    await fork({ sessionId: 'parent' });
    expect(readWithPi(agent.path('fork.jsonl'))).toEqual(['user: root', 'user: taken']);
    expect(readLines(agent.path('fork.jsonl'))).toHaveLength(3);
  });

  it('copies finished lines only, also while the parent is locked', async () => {
    const path = await agent.talk('parent', ['one', 'two']);
    const lock = await acquireLock(`${path}.lock`);
    writeFileSync(path, '{"type":"message","id":"half', { flag: 'a' });
    await fork({ sessionId: 'parent' });
    await lock.release();
    expect(readWithPi(agent.path('fork.jsonl'))).toEqual(['user: one', 'assistant: two']);
    expect(readFileSync(agent.path('fork.jsonl'), 'utf8')).not.toContain('half');
  });

  it('a last line that lacks its line end is finished', async () => {
    const path = await agent.talk('parent', ['one', 'two']);
    writeFileSync(path, readFileSync(path, 'utf8').trimEnd());
    await fork({ sessionId: 'parent' });
    expect(readFileSync(agent.path('fork.jsonl'), 'utf8').endsWith('\n')).toBe(true);
    expect(readWithPi(agent.path('fork.jsonl'))).toHaveLength(2);
  });

  it('null where there is nothing to fork from, and nothing is left behind', async () => {
    agent.writeStore({});
    expect(await fork({ sessionId: 'nobody' })).toBeNull();
    writeFileSync(agent.path('empty.jsonl'), '');
    expect(await fork({ sessionId: 'empty' })).toBeNull();
    writeFileSync(agent.path('bare.jsonl'), '{"type":"message","message":{"role":"user","content":"hi"}}\n');
    expect(await fork({ sessionId: 'bare' })).toBeNull();
    mkdirSync(agent.path('folder.jsonl'));
    expect(await fork({ sessionId: 'folder' })).toBeNull();
    expect(agent.files()).toEqual(['bare.jsonl', 'empty.jsonl', 'folder.jsonl']);
  });

  it('refuses transcripts of Claude Code and files outside the folder', async () => {
    const claude = join(FIXTURES, 'claude-code/projects/-home-user-work-sess');
    const name = readdirSync(claude).find((one) => one.endsWith('.jsonl'))!;
    agent.writeStore({});
    copyFileSync(join(claude, name), agent.path('claude.jsonl'));
    await expect(fork({ sessionId: 'claude' })).rejects.toMatchObject({ code: 'TRANSCRIPT_UNSUPPORTED' });
    await agent.talk('own', ['hi']);
    const other = join(agent.stateDir, 'agents', 'other', 'sessions');
    mkdirSync(other, { recursive: true });
    copyFileSync(agent.path('own.jsonl'), join(other, 'secret.jsonl'));
    await expect(fork({ sessionId: 'own', sessionFile: join(other, 'secret.jsonl') })).rejects.toMatchObject({
      code: 'PATH_ESCAPES_FOLDER',
    });
    symlinkSync(join(other, 'secret.jsonl'), agent.path('link.jsonl'));
    await expect(fork({ sessionId: 'link' })).rejects.toMatchObject({ code: 'PATH_ESCAPES_FOLDER' });
    symlinkSync(other, agent.path('sub'));
    await expect(fork({ sessionId: 'x', sessionFile: agent.path('sub/secret.jsonl') })).rejects.toMatchObject(
      { code: 'PATH_ESCAPES_FOLDER' },
    );
  });

  const files = [
    ...readdirSync(join(FIXTURES, 'openclaw-files/2026.7.35'))
      .filter((name) => /\.jsonl(\.|$)/.test(name) && !name.includes('trajectory'))
      .map((name) => `openclaw-files/2026.7.35/${name}`),
    ...readdirSync(join(FIXTURES, 'openclaw-files/2026.1.30'))
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => `openclaw-files/2026.1.30/${name}`),
    ...readdirSync(join(FIXTURES, 'pi')).map((name) => `pi/${name}`),
    ...readdirSync(join(FIXTURES, 'pi-1.5.2')).map((name) => `pi-1.5.2/${name}`),
  ];
  it.each(files)('pi sees the same messages in a fork of %s', async (file) => {
    agent.writeStore({});
    copyFileSync(join(FIXTURES, file), agent.path('parent.jsonl'));
    await fork({ sessionId: 'parent' });
    expect(readWithPi(agent.path('fork.jsonl'))).toEqual(readWithPi(agent.path('parent.jsonl')));
    expect(readLines(agent.path('fork.jsonl'))[0]).toMatchObject({
      id: 'fork',
      parentSession: agent.path('parent.jsonl'),
    });
  });

  it('pi sees the same messages in a fork of any tree', HUNT, async () => {
    agent.writeStore({});
    let round = 0;
    await fc.assert(
      fc.asyncProperty(generatedTree, async (lines) => {
        const parent = `p${round}`;
        writeFileSync(agent.path(`${parent}.jsonl`), asJsonl(lines));
        const forked = await forkSessionFromParent({
          parentEntry: { sessionId: parent },
          storePath: agent.storePath,
          newId: () => `f${round}`,
        });
        round++;
        expect(basename(forked!.sessionFile)).toBe(`${forked!.sessionId}.jsonl`);
        expect(readWithPi(forked!.sessionFile)).toEqual(readWithPi(agent.path(`${parent}.jsonl`)));
      }),
      cases({ gate: 12, torture: 600 }),
    );
  });
});

describe('a thread', () => {
  const THREAD = 'agent:main:slack:channel:c1:thread:t1';
  const ctx: MsgContext = {
    SessionKey: THREAD,
    ParentSessionKey: 'agent:main:slack:channel:c1',
    MessageThreadId: 't1',
    Body: 'in the thread',
    CommandAuthorized: true,
  };
  const init = (message: MsgContext = ctx, id = 'thread') =>
    initSessionState({
      ctx: message,
      cfg: {},
      storePath: agent.storePath,
      now: () => NOW,
      newId: countingIds(id),
    });

  it('begins with its parent’s conversation, once', async () => {
    const parent = await agent.talk('parent', ['one', 'two']);
    agent.writeStore({ 'agent:main:slack:channel:c1': { sessionId: 'parent', updatedAt: NOW } });
    const result = await init();
    expect(result).toMatchObject({
      isNewSession: true,
      sessionId: 'thread-1',
      sessionEntry: { sessionFile: agent.path('thread-1-topic-t1.jsonl'), forkedFromParent: true },
    });
    expect(readWithPi(result.sessionEntry.sessionFile!)).toEqual(['user: one', 'assistant: two']);
    expect(readLines(result.sessionEntry.sessionFile!)[0]).toMatchObject({ parentSession: parent });
    expect(agent.files()).toEqual(['parent.jsonl', 'thread-1-topic-t1.jsonl']);
    expect(await init(ctx, 'again')).toMatchObject({ sessionId: 'thread-1', isNewSession: false });
    const fresh = await init({ ...ctx, Body: '/new' }, 'fresh');
    expect(fresh).toMatchObject({ sessionId: 'fresh-1', isNewSession: true });
    expect(agent.files()).not.toContain('fresh-1-topic-t1.jsonl');
  });

  it('begins empty where the person asks for it', async () => {
    await agent.talk('parent', ['one', 'two']);
    agent.writeStore({ 'agent:main:slack:channel:c1': { sessionId: 'parent', updatedAt: NOW } });
    await init({ ...ctx, Body: '/new' });
    expect(agent.files()).toEqual(['parent.jsonl']);
  });

  it('without a parent, or one without a transcript, it begins empty', async () => {
    expect(await init()).toMatchObject({ sessionId: 'thread-1', isNewSession: true });
    agent.writeStore({ 'agent:main:slack:channel:c1': { sessionId: 'parent', updatedAt: NOW } });
    expect(await init(ctx, 'other')).toMatchObject({ isNewSession: true });
    expect(agent.files()).toEqual([]);
  });

  it('messages that arrive together get one fork between them', async () => {
    await agent.talk('parent', ['one', 'two']);
    agent.writeStore({ 'agent:main:slack:channel:c1': { sessionId: 'parent', updatedAt: NOW - MINUTE } });
    const results = await Promise.all(Array.from({ length: 6 }, (_, i) => init(ctx, `t${i}`)));
    expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(results.filter(({ isNewSession }) => isNewSession)).toHaveLength(1);
    expect(agent.files()).toEqual(['parent.jsonl', basename(results[0]!.sessionEntry.sessionFile!)].sort());
  });

  it('a store that cannot be written leaves no fork behind', async () => {
    await agent.talk('parent', ['one']);
    agent.writeStore({ 'agent:main:slack:channel:c1': { sessionId: 'parent', updatedAt: NOW } });
    const { openFileSessionStore } = await import('../../src/index.ts');
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const store = openFileSessionStore(agent.storePath, {
      io: {
        syncFile: async () => {
          throw full;
        },
      },
    });
    await expect(
      initSessionState({ ctx, cfg: {}, storePath: agent.storePath, store, now: () => NOW }),
    ).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
    expect(agent.files()).toEqual(['parent.jsonl']);
  });

  it('a store that fails after it was written names the fork, and the fork stays', async () => {
    await agent.talk('parent', ['one']);
    agent.writeStore({ 'agent:main:slack:channel:c1': { sessionId: 'parent', updatedAt: NOW } });
    const { openFileSessionStore } = await import('../../src/index.ts');
    const fault = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    const store = openFileSessionStore(agent.storePath, { io: { syncFolder: () => Promise.reject(fault) } });
    await expect(
      initSessionState({ ctx, cfg: {}, storePath: agent.storePath, store, now: () => NOW }),
    ).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
    const { sessionFile } = agent.entry(THREAD);
    expect(readWithPi(sessionFile!)).toEqual(['user: one']);
    expect(agent.files()).toEqual([basename(sessionFile!), 'parent.jsonl'].sort());
  });

  it('of a parent of another agent is refused', async () => {
    await expect(init({ ...ctx, ParentSessionKey: 'agent:other:main' })).rejects.toMatchObject({
      code: 'AGENT_MISMATCH',
    });
  });
});

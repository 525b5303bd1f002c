import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { acquireLock } from '../../src/exports/disk.ts';
import {
  appendAssistantMessageToSessionTranscript,
  onSessionTranscriptUpdate,
  resetSession,
} from '../../src/index.ts';
import { NOW, readLines, readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const KEY = 'agent:main:main';

const mirror = (params: Partial<Parameters<typeof appendAssistantMessageToSessionTranscript>[0]> = {}) =>
  appendAssistantMessageToSessionTranscript({
    sessionKey: KEY,
    text: 'delivered',
    stateDir: agent.stateDir,
    now: () => NOW,
    ...params,
  });

it('appends what was delivered, as an assistant that no model was', async () => {
  const path = await agent.talk('s', ['one', 'two']);
  agent.writeStore({ [KEY]: { sessionId: 's', updatedAt: 1 } });
  const updates: string[] = [];
  const end = onSessionTranscriptUpdate(({ sessionFile }) => updates.push(sessionFile));
  const mediaUrls = ['https://example.com/a/cat.png?token=secret'];
  expect(await mirror({ mediaUrls })).toEqual({ ok: true, sessionFile: path });
  end();
  expect(updates).toEqual([path]);
  expect(readLines(path).at(-1)).toMatchObject({
    type: 'message',
    timestamp: '2026-03-10T12:00:00.000Z',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: 'delivered\ncat.png' }],
      provider: 'openclaw',
      model: 'delivery-mirror',
      stopReason: 'stop',
      timestamp: NOW,
    },
  });
  expect(readWithPi(path)).toEqual(['user: one', 'assistant: two', 'assistant: delivered\ncat.png']);
  expect(agent.entry()).toEqual({ sessionId: 's', updatedAt: 1, sessionFile: path });
});

it('makes a transcript that does not exist yet, with its header', async () => {
  agent.writeStore({
    'agent:main:telegram:group:1:topic:7': { sessionId: 's', updatedAt: 1, sessionFile: 's-topic-7.jsonl' },
  });
  const sessionKey = 'agent:main:telegram:group:1:topic:7';
  expect(await mirror({ sessionKey, cwd: '/work' })).toEqual({
    ok: true,
    sessionFile: agent.path('s-topic-7.jsonl'),
  });
  expect(readLines(agent.path('s-topic-7.jsonl'))[0]).toMatchObject({
    type: 'session',
    id: 's',
    cwd: '/work',
  });
  expect(readWithPi(agent.path('s-topic-7.jsonl'))).toEqual(['assistant: delivered']);
});

it('an empty transcript gets its header', async () => {
  agent.writeStore({ [KEY]: { sessionId: 's', updatedAt: 1 } });
  writeFileSync(agent.path('s.jsonl'), '');
  expect(await mirror({ cwd: '/work' })).toEqual({ ok: true, sessionFile: agent.path('s.jsonl') });
  expect(readLines(agent.path('s.jsonl'))[0]).toMatchObject({ type: 'session', id: 's', cwd: '/work' });
  expect(readWithPi(agent.path('s.jsonl'))).toEqual(['assistant: delivered']);
});

it('says why not, and throws for nothing that can be wrong with a session', async () => {
  agent.writeStore({ [KEY]: { sessionId: 's', updatedAt: 1 } });
  expect(await mirror({ text: '  ' })).toMatchObject({ ok: false });
  for (const mediaUrls of ['https://example.com/a.png', [7], null]) {
    expect(await mirror({ mediaUrls: mediaUrls as never })).toMatchObject({
      ok: false,
      code: 'INVALID_ARGUMENT',
    });
  }
  expect(await mirror({ text: 7 as never })).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' });
  expect(await mirror({ sessionKey: '' })).toMatchObject({ ok: false, code: 'INVALID_SESSION_KEY' });
  expect(await mirror({ sessionKey: 'agent:main:nobody' })).toMatchObject({
    ok: false,
    code: 'SESSION_NOT_FOUND',
  });
  expect(await mirror({ agentId: 'other' })).toMatchObject({ ok: false, code: 'AGENT_MISMATCH' });
  const lock = await acquireLock(`${agent.path('s.jsonl')}.lock`);
  expect(await mirror({ lock: { timeoutMs: 20 } })).toMatchObject({ ok: false, code: 'LOCK_TIMEOUT' });
  await lock.release();
  writeFileSync(agent.path('s.jsonl'), 'no header\n');
  expect(await mirror()).toMatchObject({ ok: false, code: 'TRANSCRIPT_HEADER_INVALID' });
  agent.writeStore({ [KEY]: { sessionId: 'd', updatedAt: 1 } });
  mkdirSync(agent.path('d.jsonl'));
  expect(await mirror()).toMatchObject({ ok: false });
  writeFileSync(agent.storePath, 'null');
  expect(await mirror()).toMatchObject({ ok: false, code: 'STORE_NOT_AN_OBJECT' });
});

it('while sessions are reset, every message is in a transcript or in its archive', async () => {
  agent.writeStore({ [KEY]: { sessionId: 's0', updatedAt: 1 } });
  const sent: string[] = [];
  const talk = async (name: string) => {
    for (let n = 0; n < 10; n++) {
      const text = `${name}-${n}`;
      const outcome = await mirror({ text, lock: { timeoutMs: 60_000 } });
      if (outcome.ok) sent.push(text);
    }
  };
  const reset = async () => {
    for (let n = 1; n <= 10; n++) {
      await resetSession({
        storePath: agent.storePath,
        sessionKey: KEY,
        newId: () => `s${n}`,
        now: () => NOW + n,
      });
    }
  };
  await Promise.all([talk('a'), talk('b'), reset()]);
  expect(sent).toHaveLength(20);
  const files = agent.files();
  const found = files.flatMap((name) => readWithPi(agent.path(name)));
  expect(found.sort()).toEqual(sent.map((text) => `assistant: ${text}`).sort());
  const live = files.filter((name) => name.endsWith('.jsonl'));
  expect(live.every((name) => name === `${agent.entry().sessionId}.jsonl`)).toBe(true);
});

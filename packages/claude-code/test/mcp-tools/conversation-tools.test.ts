import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { type Loose, makeMcpHome } from '../mcp-server/mcp-home.ts';
import { type ConversationToMake, keepInDatabase, keepInFiles, talk } from './conversations.ts';

const CONTEXT = 'openclaw_conversation_context';
const INFO = 'openclaw_session_info';
const MAIN = 'agent:main:main';
const GROUP = 'agent:main:telegram:group:-100';

const WAYS = [
  ['files', keepInFiles],
  ['sqlite', keepInDatabase],
] as const;

describe.each(WAYS)('conversations in %s', (storage, keep) => {
  const make = (...all: ConversationToMake[]) => {
    const home = makeMcpHome();
    return { ...home, ids: keep(home.stateDir, 'main', all) };
  };
  const texts = (answer: { messages: { text: string }[] }) => answer.messages.map(({ text }) => text);

  test('the main conversation is returned, oldest first, with times', async () => {
    const { connect, ids } = make({ key: MAIN, compose: talk(2) });
    const { answer } = await (await connect())(CONTEXT);
    expect(answer).toMatchObject({ sessionKey: MAIN, sessionId: ids[0], leftOut: [] });
    expect(answer.messages.map(({ role, text, isCut }: Loose) => [role, text, isCut])).toEqual([
      ['user', 'question 1', false],
      ['assistant', 'answer 1', false],
      ['user', 'question 2', false],
      ['assistant', 'answer 2', false],
    ]);
    const times = answer.messages.map(({ at }: Loose) => Date.parse(at));
    expect(times).toEqual([...times].sort());
  });

  test('only the last messages are given, and the rest is counted', async () => {
    const { connect } = make({ key: MAIN, compose: talk(30) });
    const call = await connect();
    const { answer } = await call(CONTEXT, { max_messages: 3 });
    expect(texts(answer)).toEqual(['answer 29', 'question 30', 'answer 30']);
    expect(answer.leftOut).toEqual([{ what: 'messages', count: 57 }]);
    expect((await call(CONTEXT)).answer.messages).toHaveLength(20);
  });

  test('a message that is too long is skipped and counted, and an earlier one is returned', async () => {
    const { connect } = make({
      key: MAIN,
      compose: (session) => {
        talk(3)(session);
        session.addUser('x'.repeat(5 * 1024 * 1024));
        session.addAssistant({ text: 'y'.repeat(5 * 1024 * 1024) });
      },
    });
    const { answer } = await (await connect())(CONTEXT, { max_messages: 2 });
    expect(texts(answer)).toEqual(['question 3', 'answer 3']);
    expect(answer.leftOut).toEqual([{ what: 'messages', count: 6 }]);
  });

  test('tool calls, results, thinking and notes of the program are no messages', async () => {
    const { connect } = make({
      key: MAIN,
      compose: (session) => {
        session.addModelChange();
        session.addUser('look');
        session.addAssistant({ thinking: 'hm', calls: [{ path: 'a.txt' }] });
        session.addResult('content of a file');
        session.addCacheTtl();
        session.addAssistant({ text: 'seen' });
      },
    });
    expect(texts((await (await connect())(CONTEXT)).answer)).toEqual(['look', 'seen']);
  });

  test('abandoned branches are not returned', async () => {
    const { connect } = make({
      key: MAIN,
      compose: (session) => {
        session.addUser('first');
        const fork = session.addAssistant({ text: 'good' });
        session.addUser('wrong turn');
        session.addAssistant({ text: 'oops' });
        session.addUser('better', { from: fork });
        session.addAssistant({ text: 'fine' });
      },
    });
    expect(texts((await (await connect())(CONTEXT)).answer)).toEqual(['first', 'good', 'better', 'fine']);
  });

  test('messages before a compaction are returned, messages before a reset are not', async () => {
    const { connect } = make(
      {
        key: MAIN,
        compose: (session) => {
          talk(1, 'old')(session);
          const kept = session.addUser('kept');
          session.addAssistant({ text: 'yes' });
          session.addCompaction(kept);
          talk(1, 'new')(session);
        },
      },
      {
        key: GROUP,
        compose: (session) => {
          talk(1, 'old')(session);
          session.addReset();
          talk(1, 'new')(session);
        },
      },
    );
    const call = await connect();
    const all = ['old 1', 'answer 1', 'kept', 'yes', 'new 1', 'answer 1'];
    expect(texts((await call(CONTEXT)).answer)).toEqual(all);
    expect(texts((await call(CONTEXT, { session_key: GROUP })).answer)).toEqual(['new 1', 'answer 1']);
  });

  test('secrets are hidden and a long message is cut', async () => {
    const { connect } = make({
      key: MAIN,
      compose: (session) => {
        session.addUser('my key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789');
        session.addAssistant({ text: '😀'.repeat(5000) });
      },
    });
    const { answer, text } = await (await connect())(CONTEXT);
    expect(text).not.toContain('klmnopqrstuvwxyz');
    expect(answer.messages[1].isCut).toBe(true);
    expect([...answer.messages[1].text]).toHaveLength(4000);
  });

  test('an answer stays small however much was said, and keeps the end', async () => {
    const { connect } = make({
      key: MAIN,
      compose: (session) => {
        for (let i = 1; i <= 60; i++) session.addUser(`${i} ${'é'.repeat(3000)}`);
      },
    });
    const { answer, text } = await (await connect())(CONTEXT, { max_messages: 100 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32_000);
    expect(answer.messages.length).toBeGreaterThan(2);
    expect(answer.messages.at(-1).text).toMatch(/^60 é/);
    expect(answer.leftOut).toEqual([{ what: 'messages', count: 60 - answer.messages.length }]);
  });

  test('a server for one conversation reads that one, and no other', async () => {
    const { connect } = make(
      { key: MAIN, compose: talk(1, 'private') },
      { key: GROUP, compose: talk(1, 'group') },
    );
    const call = await connect({ sessionKey: GROUP });
    expect(texts((await call(CONTEXT)).answer)).toEqual(['group 1', 'answer 1']);
    expect((await call(CONTEXT, { session_key: GROUP.toUpperCase() })).isError).toBe(false);
    for (const tool of [CONTEXT, INFO]) {
      const refused = await call(tool, { session_key: MAIN });
      expect(refused.isError).toBe(true);
      expect(refused.text).toMatch(/^CONVERSATION_REFUSED: /);
    }
    expect((await call(INFO)).answer).not.toHaveProperty('otherConversations');
  });

  test('facts of the entry are given, and nothing that could be a secret or an address', async () => {
    const { connect, ids } = make(
      {
        key: MAIN,
        entry: {
          label: 'work',
          channel: 'telegram',
          chatType: 'direct',
          model: 'opus',
          totalTokens: 1234,
          compactionCount: 2,
          sessionStartedAt: 1_794_767_344_000,
          lastTo: '+4915112345678',
          deliveryContext: { channel: 'telegram', to: '+4915112345678' },
          authProfileOverride: 'anthropic:personal',
          systemPromptReport: { workspaceDir: '/home/somebody' },
          inventedLater: 'x',
        },
        compose: talk(1),
      },
      { key: GROUP, entry: { updatedAt: 1_794_767_000_000, label: 'team' }, compose: talk(1) },
    );
    const { answer, text } = await (await connect())(INFO);
    expect(answer).toEqual({
      agentId: 'main',
      sessionKey: MAIN,
      sessionId: ids[0],
      storage,
      updatedAt: '2026-11-15T18:29:08.365Z',
      label: 'work',
      channel: 'telegram',
      chatType: 'direct',
      model: 'opus',
      totalTokens: 1234,
      compactionCount: 2,
      sessionStartedAt: '2026-11-15T18:29:04.000Z',
      ...(storage === 'sqlite'
        ? { lastInteractionAt: answer.lastInteractionAt, modelProvider: 'mock', contextTokens: 128_000 }
        : {}),
      otherConversations: [{ sessionKey: GROUP, updatedAt: '2026-11-15T18:23:20.000Z', label: 'team' }],
      leftOut: [],
    });
    expect(text).not.toMatch(/49151|personal|somebody|invented/);
  });

  test.each([
    ['the agent’s own', 'agent:main:telegram:dm:7', true],
    ['another agent’s', 'agent:work:main', false],
    ['another agent’s, in capitals', 'AGENT:WORK:MAIN', false],
    ['one of no form', 'agent:../work:main', false],
  ])('the conversation that began this one is named where it is %s', async (_name, spawnedBy, isTold) => {
    const { connect } = make({ key: MAIN, entry: { spawnedBy, label: 'x' }, compose: talk(1) });
    const { answer } = await (await connect())(INFO);
    expect([answer.label, answer.spawnedBy]).toEqual(['x', isTold ? spawnedBy : undefined]);
  });

  test('of many conversations the newest are named', async () => {
    const entry = (at: number) => ({ updatedAt: 1_794_000_000_000 + at });
    const { connect } = make(
      { key: MAIN, compose: talk(1) },
      ...Array.from({ length: 30 }, (_, at) => ({
        key: `agent:main:cron:job-${at}`,
        entry: entry(at),
        compose: talk(0),
      })),
    );
    const { answer } = await (await connect())(INFO);
    expect(answer.otherConversations).toHaveLength(20);
    expect(answer.otherConversations[0].sessionKey).toBe('agent:main:cron:job-29');
    expect(answer.leftOut).toEqual([{ what: 'otherConversations', count: 10 }]);
  });

  test('keys of other agents, of no agent and of no form are tool errors', async () => {
    const { connect, stateDir } = make({ key: MAIN, compose: talk(1) });
    keep(stateDir, 'work', [{ key: 'agent:work:main', compose: talk(1, 'secret') }]);
    const call = await connect();
    for (const [session_key, code] of [
      ['agent:work:main', 'AGENT_MISMATCH'],
      ['AGENT:WORK:MAIN', 'AGENT_MISMATCH'],
      ['agent:main:telegram:dm:nobody', 'SESSION_NOT_FOUND'],
      ['../work', 'SESSION_NOT_FOUND'],
      ['agent:../work:main', 'INVALID_SESSION_KEY'],
      ['a\0b', 'INVALID_SESSION_KEY'],
    ] as const) {
      const { isError, text } = await call(CONTEXT, { session_key });
      expect([session_key, isError, text.split(':')[0]]).toEqual([session_key, true, code]);
      expect(text).not.toContain('secret');
    }
  });

  test('a key of another agent in the own store is not returned', async () => {
    const { connect } = make(
      { key: MAIN, compose: talk(1) },
      { key: 'agent:work:main', compose: talk(1, 'secret') },
    );
    const call = await connect();
    expect((await call(INFO)).answer.otherConversations).toEqual([]);
    expect((await call(CONTEXT, { session_key: 'agent:work:main' })).text).toMatch(/^AGENT_MISMATCH/);
  });

  test('a folder that is a link to the one of another agent is not read', async () => {
    const { connect, stateDir } = make({ key: MAIN, compose: talk(1, 'secret') });
    symlinkSync(join(stateDir, 'agents/main'), join(stateDir, 'agents/work'));
    const { isError, text } = await (await connect({ agentId: 'work' }))(CONTEXT);
    expect(isError).toBe(true);
    expect(text).toMatch(/^PATH_ESCAPES_FOLDER/);
  });
});

test('where there is no main conversation the others are named', async () => {
  const { connect, stateDir } = makeMcpHome();
  const entry = (at: number) => ({ updatedAt: 1_794_000_000_000 - at });
  const keys = Array.from({ length: 7 }, (_, at) => `agent:main:cron:job-${at}`);
  keepInFiles(
    stateDir,
    'main',
    keys.map((key, at) => ({ key, entry: entry(at), compose: talk(1) })),
  );
  const { text } = await (await connect())(CONTEXT);
  expect(text).toContain(`Hint: Its conversations: ${keys.slice(0, 5).join(', ')} and 2 more.`);
  const bound = await (await connect({ sessionKey: 'agent:main:telegram:dm:1' }))(CONTEXT);
  expect(bound.text).toMatch(/^SESSION_NOT_FOUND/);
  expect(bound.text).not.toContain('job-');
});

test('without any conversation the tools say so', async () => {
  const { connect } = makeMcpHome();
  const call = await connect();
  for (const tool of [CONTEXT, INFO]) {
    const { isError, text } = await call(tool);
    expect([isError, text.split(':')[0]]).toEqual([true, 'SESSION_NOT_FOUND']);
  }
});

test('where both eras have a conversation the database counts; what only files have is found there', async () => {
  const { connect, stateDir } = makeMcpHome();
  keepInFiles(stateDir, 'main', [
    { key: MAIN, compose: talk(1, 'stale') },
    { key: GROUP, compose: talk(1, 'group') },
  ]);
  keepInDatabase(stateDir, 'main', [{ key: MAIN, compose: talk(1, 'current') }]);
  const call = await connect();
  expect((await call(CONTEXT)).answer.messages[0].text).toBe('current 1');
  expect((await call(CONTEXT, { session_key: GROUP })).answer.messages[0].text).toBe('group 1');
  expect((await call(INFO)).answer.otherConversations.map(({ sessionKey }: Loose) => sessionKey)).toEqual([
    GROUP,
  ]);
});

test(
  'the search for something that was said ends, however much there is that says nothing',
  LONG,
  async () => {
    const { connect, stateDir } = makeMcpHome();
    const compose: ConversationToMake['compose'] = (session) => {
      talk(1)(session);
      for (let i = 0; i < 24; i++) session.addUser(' '.repeat(3 * 1024 * 1024));
    };
    keepInFiles(stateDir, 'main', [{ key: MAIN, compose }]);
    const { answer } = await (await connect())(CONTEXT);
    // Sixty-four million characters are looked at.
    expect(answer).toMatchObject({ messages: [], leftOut: [{ what: 'messages', count: 2 + 24 - 22 }] });
  },
);

/** What settings of sessions, channels and messages do, through a bot that stays open in a process of its own. `effects.ts` lists which. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openChat } from '../setup/chat.ts';

const inGroup = (id: string, more: object = {}) => ({
  ctx: { ChatType: 'group', From: `chat:group:${id}`, OriginatingTo: id, BotUsername: 'bot', ...more },
});

describe('settings of conversations', () => {
  test('decide who answers, and in which session', async () => {
    const bind = (agentId: string, match: object) => ({ agentId, match: { channel: 'chat', ...match } });
    const ids = ['main', 'peer', 'group', 'guild', 'role', 'team', 'work'];
    const chat = await openChat({
      agents: { list: ids.map((id) => ({ id })) },
      bindings: [
        bind('peer', { peer: { kind: 'direct', id: 7 } }),
        bind('group', { group: 'g1' }),
        bind('guild', { guildId: 's1' }),
        bind('role', { guildId: 's1', roles: ['r1'] }),
        bind('team', { teamId: 't1' }),
        bind('work', { accountId: 'work' }),
      ],
      session: {
        dmScope: 'per-peer',
        identityLinks: { alice: ['chat:1', 'chat:2'] },
        resetTriggers: ['/fresh'],
      },
      channels: { chat: { allowFrom: [1], groups: { '*': { requireMention: false } } } },
      messages: { queue: { mode: 'followup', debounceMs: 0 } },
    });
    const messages = [
      { from: '7' },
      { from: '3', ...inGroup('g1') },
      { from: '3', ...inGroup('g2', { GroupSpace: 's1' }) },
      { from: '3', ...inGroup('g3', { GroupSpace: 's1', SenderRoles: ['r1'] }) },
      { from: '3', ...inGroup('g4', { GroupSpace: 't1' }) },
      { from: '3', account: 'work' },
      { from: '1' },
      { from: '2' },
      { from: '3' },
    ];
    for (const message of messages) await chat.tell({ text: 'hello', ...message });
    const keysOf = (agentId: string) => Object.keys(chat.store(agentId)).sort();
    await chat.until(() => chat.sent().length === messages.length);
    expect(Object.fromEntries(ids.map((id) => [id, keysOf(id)]))).toEqual({
      main: ['agent:main:dm:3', 'agent:main:dm:alice'],
      peer: ['agent:peer:dm:7'],
      group: ['agent:group:chat:group:g1'],
      guild: ['agent:guild:chat:group:g2'],
      role: ['agent:role:chat:group:g3'],
      team: ['agent:team:chat:group:g4'],
      work: ['agent:work:dm:3'],
    });
    const idOf = (key: string) => chat.store('main')[key]!.sessionId;
    const before = [idOf('agent:main:dm:alice'), idOf('agent:main:dm:3')];
    await chat.ask({ text: '/fresh start', from: '1' });
    // Of a sender who may give no commands it is dropped.
    await chat.tell({ text: '/fresh start', from: '3' });
    await chat.ask({ text: 'hello again', from: '3' });
    const after = [idOf('agent:main:dm:alice'), idOf('agent:main:dm:3')];
    expect(after.map((id, index) => id === before[index])).toEqual([false, true]);
    await chat.end();
  });

  test('of the queue, of runs and of the store hold for a bot that stays open', async () => {
    const agents = {
      maxConcurrentRuns: 1,
      defaults: { model: 'script/m', tools: { exec: { security: 'full', ask: 'off' } } },
    };
    const messages = { queue: { mode: 'followup', debounceMs: 0, cap: 2, drop: 'old' } };
    const channels = { chat: { allowFrom: ['42', '77'] } };
    const session = { dmScope: 'per-peer', store: '~/kept/{agentId}.json' };
    const chat = await openChat({ agents, messages, channels, session }, (stateDir) => {
      const command = 'touch begun; until [ -e go ]; do sleep 0.05; done';
      const turns = [
        { when: 'hold', steps: [{ tool: 'exec', args: { command } }, { text: 'held' }] },
        { steps: [{ text: 'to: {{prompt}}' }] },
      ];
      mkdirSync(join(stateDir, 'scripts'));
      writeFileSync(join(stateDir, 'scripts', 'm.json'), JSON.stringify({ turns }));
    });
    const workspace = join(chat.stateDir, 'workspace');
    await chat.tell({ text: 'hold' });
    await chat.until(() => existsSync(join(workspace, 'begun')));
    await chat.tell({ text: 'hello', from: '77' });
    for (const text of ['one', 'two', 'three']) await chat.tell({ text });
    // Beside the run. The other person waits for the one place that there is.
    expect((await chat.ask({ text: '/whoami' }))[0]?.text).toContain('You: ');
    expect(chat.sent().filter(({ to }) => to === '77')).toEqual([]);
    writeFileSync(join(workspace, 'go'), '');
    await chat.until(() => chat.sent().length === 5);
    const textsOf = (person: string) => chat.sent().flatMap(({ to, text }) => (to === person ? [text] : []));
    expect(textsOf('42').slice(1)).toEqual([
      'held',
      expect.stringMatching(/^to: [\s\S]*\btwo$/),
      expect.stringMatching(/^to: [\s\S]*\bthree$/),
    ]);
    expect(textsOf('77')).toEqual([expect.stringContaining('hello')]);
    const stored = () => readFileSync(join(chat.stateDir, '../kept/main.json'), 'utf8');
    expect(Object.keys(JSON.parse(stored()))).toEqual(
      expect.arrayContaining(['agent:main:dm:42', 'agent:main:dm:77']),
    );
    const changes = chat.changes();
    chat.configure({ agents, messages, channels, session: { ...session, scope: 'global' } });
    await chat.until(() => chat.changes() > changes);
    await chat.ask({ text: 'all of us' });
    expect(stored()).toContain('"global"');
    await chat.end();
  });

  test('make heartbeats of a bot that stays open', async () => {
    const heartbeat = {
      every: '1s',
      activeHours: { start: '00:00', end: '24:00', timezone: 'UTC' },
      prompt: 'Look around.',
      model: 'script/beat',
      target: 'chat',
      to: '42',
      ackMaxChars: 3,
    };
    const chat = await openChat({ agents: { defaults: { heartbeat } } }, (stateDir) => {
      const turns = [{ steps: [{ text: 'HEARTBEAT_OK Fire! {{prompt}}' }] }];
      mkdirSync(join(stateDir, 'scripts'));
      writeFileSync(join(stateDir, 'scripts', 'beat.json'), JSON.stringify({ turns }));
    });
    await chat.until(() => chat.sent().length > 0);
    expect(chat.sent()[0]).toMatchObject({
      to: '42',
      text: expect.stringMatching(/Fire! [\s\S]*Look around\./),
    });
    // Not ended by hand: on a busy machine there is always another one.
  });

  test('of a channel and of its accounts decide what is answered, and how', async () => {
    const chat = await openChat(
      {
        agents: { defaults: { model: 'script/m' } },
        channels: {
          chat: {
            allowFrom: [1],
            groups: { '*': { requireMention: false } },
            replyToMode: 'all',
            accounts: {
              Work: { allowFrom: [9], groups: { '*': { requireMention: true } }, replyToMode: 'off' },
            },
          },
        },
        messages: {
          groupChat: { mentionPatterns: ['hey robot'], historyLimit: 2 },
          queue: {
            mode: 'collect',
            byChannel: { chat: 'followup' },
            debounceMs: 600_000,
            debounceMsByChannel: { chat: 0 },
          },
        },
      },
      (stateDir) => {
        mkdirSync(join(stateDir, 'scripts'));
        const turns = [
          { when: 'slow', steps: [{ waitMs: 300 }, { text: 'slow' }] },
          { steps: [{ text: 'Read: {{prompt}}' }] },
        ];
        writeFileSync(join(stateDir, 'scripts', 'm.json'), JSON.stringify({ turns }));
      },
    );
    const [first] = await chat.ask({ id: 'a1', text: 'no mention', ...inGroup('g1') });
    expect(first).toMatchObject({ replyToId: 'a1' });
    for (const text of ['one', 'two', 'three']) await chat.tell({ text, account: 'work', ...inGroup('g2') });
    const [second] = await chat.ask({ text: 'Hey robot, what?', account: 'work', ...inGroup('g2') });
    expect(second?.replyToId).toBeUndefined();
    expect(second?.text).toMatch(/two.*three.*Hey robot/s);
    expect(second?.text).not.toMatch(/\bone\b/);
    const idOf = () => chat.store('main')['agent:main:main']?.sessionId;
    await chat.ask({ text: 'begin', from: '9', account: 'work' });
    const before = idOf();
    await chat.tell({ text: '/new and go on', from: '9' });
    await chat.ask({ text: 'still here', from: '9' });
    expect(idOf()).toBe(before);
    await chat.ask({ text: '/new and go on', from: '9', account: 'work' });
    expect(idOf()).not.toBe(before);
    const all = chat.ask({ text: 'slow', from: '9' }, 3);
    await chat.tell({ text: 'then this', from: '9' });
    await chat.tell({ text: 'and that', from: '9' });
    expect((await all).map(({ text }) => text.split('\n')[0]!.slice(0, 5))).toEqual([
      'slow',
      'Read:',
      'Read:',
    ]);
    await chat.end();
  });

  test('decide which replies are sent', async () => {
    const deny = (match: object) => ({ action: 'deny', match });
    const rules = [
      deny({ keyPrefix: 'chat:dm:9' }),
      deny({ rawKeyPrefix: 'agent:main:chat:dm:8' }),
      deny({ chatType: 'group' }),
      { action: 'allow', match: { channel: 'chat' } },
    ];
    const chat = await openChat({
      session: { dmScope: 'per-channel-peer', sendPolicy: { default: 'deny', rules } },
      channels: { chat: { groups: { '*': { requireMention: false } } } },
    });
    for (const from of ['9', '8']) await chat.tell({ text: 'hello', from });
    await chat.tell({ text: 'hello', ...inGroup('g1') });
    await chat.ask({ text: 'hello', from: '7' });
    await chat.end();
    expect(chat.sent().map(({ to }) => to)).toEqual(['7']);
    expect(Object.keys(chat.store('main'))).toHaveLength(4);
  });

  test('give threads a session, or not', async () => {
    const config = (threads: object) => ({
      session: { threads },
      channels: { chat: { groups: { '*': { requireMention: false } } } },
    });
    const chat = await openChat(config({ inheritParent: true }));
    await chat.ask({ text: 'the code is 4711', ...inGroup('g1') });
    await chat.ask({ text: 'what did I say about the code?', ...inGroup('g1', { MessageThreadId: 5 }) });
    const keys = () => Object.keys(chat.store('main')).sort();
    expect(keys()).toEqual(['agent:main:chat:group:g1', 'agent:main:chat:group:g1:thread:5']);
    expect(chat.sent().at(-1)?.text).toContain('4711');
    chat.configure(config({ enabled: false }));
    await chat.until((told) => told.some((one) => 'changed' in one));
    await chat.ask({ text: 'hello', ...inGroup('g2', { MessageThreadId: 6 }) });
    expect(keys()).toContain('agent:main:chat:group:g2');
    await chat.end();
  });
});

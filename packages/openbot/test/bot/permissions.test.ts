/** A run asks a person before it acts, in the conversation that it answers. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MsgContext } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import type { Bot } from '../../src/bot/contract.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { ScriptStep } from '../../src/runners/script/script.ts';
import { openState } from '../../src/state/open-state.ts';
import { waitFor } from '../setup/command-bench.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { BotHome, Chat, MAIN, textsOf } from './bot-home.ts';
import type { ChatMessage, SentLine } from './chat-process.ts';

const PUSH: ScriptStep = { ask: 'Bash', args: { command: 'git push' } };
const REPLY: ScriptStep = { text: '{{result}}' };
const ADA = { channels: { memory: { allowFrom: ['ada', 'bob'] } } } satisfies BotConfig;

class Dialogue {
  readonly home = new BotHome();
  readonly chat = new Chat();
  readonly clock = new ManualClock();
  bot!: Bot;

  async open(steps: readonly ScriptStep[] = [PUSH, REPLY], config: BotConfig = {}): Promise<this> {
    const { chat, clock, home } = this;
    home.writeScript('asks', { turns: [{ steps }] });
    this.bot = await home.open({
      config: {
        ...ADA,
        ...config,
        agents: { ...config.agents, defaults: { model: 'script/asks', ...config.agents?.defaults } },
      },
      channels: [chat.channel],
      clock,
    });
    return this;
  }

  /** Waits for the nth question to someone, and returns its id. */
  async question(to = 'ada', nth = 1): Promise<string> {
    return waitFor(
      () => `question ${nth} to ${to} in ${JSON.stringify(this.chat.shown)}`,
      () => this.questionsTo(to)[nth - 1],
    );
  }

  questionsTo(to: string): string[] {
    return this.chat.channel.network.shown.flatMap(({ target, payload }) =>
      target.to === to && payload.question !== undefined ? [payload.question.id] : [],
    );
  }

  /** What people were sent beside questions. */
  said(to = 'ada'): (string | undefined)[] {
    return this.chat.channel.network.shown.flatMap(({ target, payload }) =>
      target.to === to && payload.question === undefined ? [payload.text] : [],
    );
  }
}

test('the person is asked, says yes, and the run goes on', async () => {
  const talk = await new Dialogue().open();
  const { bot, chat, home } = talk;
  await chat.write('ada', 'publish it');
  const id = await talk.question();
  expect(chat.shown).toEqual([
    `ada: Permission needed [${id}]. The agent wants to use:\n  │ Bash\n  │ command: git push\nAnswer "yes ${id}" or "no ${id}" within 5 minutes.\n"always ${id}" also allows this for the rest of the session: Bash(git push)`,
  ]);
  await chat.write('ada', `Yes ${id}`);
  await bot.idle();
  expect(talk.said()).toEqual([`[${id}] Allowed.`, 'It was allowed.']);
  // The answer is no turn of its own.
  expect(home.turnsOf()).toHaveLength(1);
  expect(home.saidIn()).toEqual([
    expect.stringContaining('user: '),
    'assistant: ',
    'toolResult: It was allowed.',
    'assistant: It was allowed.',
  ]);
  await bot.close();
  const state = await openState(home.stateDir);
  expect(await state.inbox.counts()).toMatchObject({ answered: 1, received: 0, queued: 0, dropped: 1 });
  await state.close();
});

test('a button that is pressed counts as its word, of those who may answer', async () => {
  const channels = {
    memory: { allowFrom: ['ada'], groupAllowFrom: ['ada', 'bob'], groupPolicy: 'allowlist' },
  } as const;
  const talk = await new Dialogue().open(undefined, {
    channels: { memory: { ...channels.memory, groups: { crew: {} } } },
  });
  const mention = { WasMentioned: true };
  const ada = { name: 'Ada', id: 'ada' };
  await talk.chat.writeInGroup('crew', ada, 'publish it', mention);
  const id = await talk.question('crew');
  const { network } = talk.chat.channel;
  const asked = network.shown.find(({ payload }) => payload.question !== undefined)!;
  expect(asked.payload.question?.answers).toEqual([
    { word: `yes ${id}`, label: 'Allow' },
    { word: `always ${id}`, label: 'Always allow' },
    { word: `no ${id}`, label: 'Deny' },
  ]);
  const press = (who: string, place: number) => {
    const { word } = asked.payload.question!.answers[place]!;
    return talk.chat.writeInGroup('crew', { name: who, id: who }, word, { ReplyToId: asked.id });
  };
  // One may talk and decides nothing, the other is not heard at all.
  await press('bob', 0);
  await press('eve', 1);
  expect(talk.said('crew')).toEqual([]);
  await press('ada', 2);
  await talk.bot.idle();
  expect(talk.said('crew')).toEqual([`[${id}] Not allowed.`, 'The person said no.']);
});

test.each([
  ['no', 'The person said no.', 'Not allowed.'],
  ['deny', 'The person said no.', 'Not allowed.'],
  ['allow', 'It was allowed.', 'Allowed.'],
])('%s <id> is an answer', async (word, result, end) => {
  const talk = await new Dialogue().open();
  await talk.chat.write('ada', 'publish it');
  const id = await talk.question();
  await talk.chat.write('ada', `${word} #${id.toUpperCase()}`);
  await talk.bot.idle();
  expect(talk.said()).toEqual([`[${id}] ${end}`, result]);
});

test('a reply to the question needs no id, and other words follow the queue mode', async () => {
  const home = new BotHome();
  const state = await openState(home.stateDir);
  const chat = new Chat();
  home.writeScript('asks', {
    turns: [{ when: 'publish', steps: [PUSH, REPLY] }, { steps: [{ text: 'Heard.' }] }],
  });
  const config = { ...ADA, agents: { defaults: { model: 'script/asks' } } };
  const bot = await home.open({ config, channels: [chat.channel], state });
  await chat.write('ada', 'publish it');
  const sent = await waitFor(
    () => 'the question',
    () => chat.channel.network.shown[0],
  );
  while ((await state.outbox.get(sent.key))?.state !== 'sent') await new Promise(setImmediate);
  // Neither a reply nor an id: the person may mean anything.
  await chat.write('ada', 'yes');
  await chat.write('ada', 'yes', { ctx: { ReplyToId: 'another message' } });
  await chat.write('ada', 'and then tell me', {});
  expect(chat.shown).toHaveLength(1);
  await chat.write('ada', 'yes', { ctx: { ReplyToId: sent.id } });
  await bot.idle();
  expect(chat.shown.slice(1).map((line) => line.replace(/\[\w+\]/, ''))).toEqual([
    'ada:  Allowed.',
    'ada: It was allowed.',
    'ada: Heard.',
  ]);
  expect(home.turnsOf().map((ids) => ids.length)).toEqual([1, 3]);
});

test('without an answer in time it is denied, and the person and the model are told', async () => {
  const talk = await new Dialogue().open();
  await talk.chat.write('ada', 'publish it');
  const id = await talk.question();
  await talk.clock.advance(299_999);
  expect(talk.said()).toEqual([]);
  await talk.clock.advance(1);
  await talk.bot.idle();
  expect(talk.said()).toEqual([
    `[${id}] No answer came in time, so it was not allowed.`,
    'The person did not answer within 5 minutes, so it is not allowed.',
  ]);
  await talk.chat.write('ada', `yes ${id}`);
  await talk.bot.idle();
  expect(talk.said().slice(2)).toEqual([
    `That question is closed. [${id}] No answer came in time, so it was not allowed.`,
  ]);
  expect(talk.home.turnsOf()).toHaveLength(1);
});

test('the limit of time is that of the agent', async () => {
  const permissions = { timeoutSeconds: 20 };
  const talk = await new Dialogue().open(undefined, { agents: { defaults: { permissions } } });
  await talk.chat.write('ada', 'publish it');
  await talk.question();
  await talk.clock.advance(20_000);
  await talk.bot.idle();
  expect(talk.said().at(-1)).toBe('The person did not answer within 20 seconds, so it is not allowed.');
});

test('always holds for the session, and not for the next one', async () => {
  const talk = await new Dialogue().open([PUSH, PUSH, REPLY]);
  await talk.chat.write('ada', 'publish it');
  const id = await talk.question();
  await talk.chat.write('ada', `always ${id}`);
  await talk.bot.idle();
  await talk.chat.write('ada', 'publish it again');
  await talk.bot.idle();
  expect(talk.questionsTo('ada')).toHaveLength(1);
  expect(talk.home.entryOf().permissionsAdded).toEqual(['Bash(git push)']);
  await talk.chat.write('ada', '/new publish it');
  const other = await talk.question('ada', 2);
  await talk.chat.write('ada', `no ${other}`);
  await talk.chat.write('ada', `no ${await talk.question('ada', 3)}`);
  await talk.bot.idle();
  expect(talk.home.entryOf().permissionsAdded).toBeUndefined();
});

test('always is not offered where only a rule for everything would do', async () => {
  const steps = [
    { ask: 'Bash', args: { command: 'a; b' } },
    { ask: 'Bash', args: { command: 'rm x' } },
    REPLY,
  ];
  const talk = await new Dialogue().open(steps);
  await talk.chat.write('ada', 'go');
  const id = await talk.question();
  expect(talk.chat.shown[0]).not.toContain('always');
  await talk.chat.write('ada', `always ${id}`);
  await talk.chat.write('ada', `no ${await talk.question('ada', 2)}`);
  await talk.bot.idle();
  expect(talk.said()[0]).toContain('Allowed this once');
  expect(talk.said().at(-1)).toBe('The person said no.');
});

test('two conversations ask at once, and each answer counts where it belongs', async () => {
  const config = { session: { dmScope: 'per-peer' } } as BotConfig;
  const talk = await new Dialogue().open([PUSH, REPLY], config);
  await talk.chat.write('ada', 'publish it');
  await talk.chat.write('bob', 'publish it');
  const [ada, bob] = [await talk.question('ada'), await talk.question('bob')];
  // Bob answers the question of Ada: a message like any other, which waits for the end of his run.
  if (ada !== bob) await talk.chat.write('bob', `yes ${ada}`);
  await talk.chat.write('bob', `no ${bob}`);
  await talk.question('bob', 2);
  expect(talk.said('bob')).toEqual([`[${bob}] Not allowed.`, 'The person said no.']);
  expect(talk.said('ada')).toEqual([]);
  await talk.chat.write('ada', `yes ${ada}`);
  await talk.chat.write('bob', `yes ${await talk.question('bob', 2)}`);
  await talk.bot.idle();
  expect(talk.said('ada')).toEqual([`[${ada}] Allowed.`, 'It was allowed.']);
});

test('in a group only a sender who may give commands answers', async () => {
  const talk = await new Dialogue().open();
  const [ada, eve] = [
    { name: 'Ada', id: 'ada' },
    { name: 'Eve', id: 'eve' },
  ];
  const mention = { BotUsername: 'bot' } satisfies MsgContext;
  await talk.chat.writeInGroup('crew', eve, '@bot publish it', mention);
  const id = await talk.question('crew');
  await talk.chat.writeInGroup('crew', eve, `yes ${id}`, mention);
  await talk.chat.writeInGroup('crew', eve, `@bot yes ${id}`, mention);
  // A direct message of Ada is another conversation.
  await talk.chat.write('ada', `no ${id}`);
  await talk.question('ada');
  expect(talk.said('crew')).toEqual([]);
  await talk.chat.writeInGroup('crew', ada, `@bot yes ${id}`, mention);
  await talk.chat.write('ada', `no ${await talk.question('ada')}`);
  // The second message of Eve was addressed to the agent, and gets its turn now.
  await talk.chat.writeInGroup('crew', ada, `no ${await talk.question('crew', 2)}`);
  await talk.bot.idle();
  expect(talk.said('crew').slice(0, 2)).toEqual([`[${id}] Allowed.`, 'It was allowed.']);
});

test('what a group said before an answer is read in its next turn', async () => {
  const talk = await new Dialogue().open();
  const [ada, eve] = [
    { name: 'Ada', id: 'ada' },
    { name: 'Eve', id: 'eve' },
  ];
  const mention = { BotUsername: 'bot' } satisfies MsgContext;
  await talk.chat.writeInGroup('crew', ada, '@bot publish it', mention);
  const id = await talk.question('crew');
  await talk.chat.writeInGroup('crew', eve, 'the tests are red', mention);
  await talk.chat.writeInGroup('crew', ada, `yes ${id}`, mention);
  await talk.bot.idle();
  await talk.chat.writeInGroup('crew', ada, '@bot once more', mention);
  const again = await talk.question('crew', 2);
  const asked = talk.home.saidIn('agent:main:memory:group:crew').filter((line) => line.startsWith('user: '));
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain('Eve: the tests are red');
  expect(asked[1]).not.toContain(`yes ${id}`);
  await talk.chat.writeInGroup('crew', ada, `no ${again}`, mention);
  await talk.bot.idle();
});

test('a person who may not give commands is not asked', async () => {
  const talk = await new Dialogue().open();
  await talk.chat.write('eve', 'publish it');
  await talk.bot.idle();
  expect(talk.said('eve')).toEqual([
    'No rule allows it, and no person can be asked: the person who wrote is no owner (commands.ownerAllowFrom, or channels.memory.allowFrom).',
  ]);
  expect(talk.questionsTo('eve')).toEqual([]);
});

test('a session that must not send asks nothing', async () => {
  const config = { session: { sendPolicy: { default: 'deny' } } } as BotConfig;
  const talk = await new Dialogue().open([PUSH, REPLY], config);
  await talk.chat.write('ada', 'publish it');
  await talk.bot.idle();
  expect(talk.chat.shown).toEqual([]);
  expect(talk.home.saidIn().at(-1)).toMatch(/this session must not send messages/);
});

test('a run that is stopped withdraws its question', async () => {
  const talk = await new Dialogue().open();
  await talk.chat.write('ada', 'publish it');
  const id = await talk.question();
  await talk.chat.write('ada', '/stop', { ctx: { CommandAuthorized: true } });
  await talk.bot.idle();
  const withdrawn = `[${id}] The question is withdrawn: the run that asked has ended.`;
  expect(talk.said()).toContain(withdrawn);
  await talk.chat.write('ada', `yes ${id}`);
  await talk.bot.idle();
  expect(talk.said().at(-1)).toBe(`That question is closed. ${withdrawn}`);
});

test.each([
  ['a rule allows it', { allow: ['Bash(git push:*)'] }, 'It was allowed.'],
  [
    'a rule forbids it',
    { allow: ['Bash'], deny: ['Bash(git push:*)'] },
    'The rule Bash(git push:*) forbids it. Do not try it in another way.',
  ],
  [
    'no rule allows it and nobody is to be asked',
    { ask: 'off' as const },
    'No rule allows it, and people are not asked.',
  ],
])('nothing is asked where %s', async (_, permissions, result) => {
  const talk = await new Dialogue().open(undefined, { agents: { defaults: { permissions } } });
  await talk.chat.write('ada', 'publish it');
  await talk.bot.idle();
  expect(talk.chat.shown).toEqual([`ada: ${result}`]);
});

test('ask: always asks also about what a rule allows', async () => {
  const permissions = { allow: ['Bash'], ask: 'always' as const };
  const talk = await new Dialogue().open(undefined, { agents: { defaults: { permissions } } });
  await talk.chat.write('ada', 'publish it');
  await talk.chat.write('ada', `yes ${await talk.question()}`);
  await talk.bot.idle();
  expect(talk.said().at(-1)).toBe('It was allowed.');
});

test('exec asks about a command that is not in its list, by the same questions', async () => {
  const steps = [
    { tool: 'exec', args: { command: 'echo listed' } },
    { tool: 'exec', args: { command: 'touch made' } },
    REPLY,
  ];
  const tools = { exec: { security: 'allowlist' as const, allowlist: ['echo *'] } };
  const talk = await new Dialogue().open(steps, { tools });
  await talk.chat.write('ada', 'make it');
  const id = await talk.question();
  expect(talk.chat.shown[0]).toContain('│ exec\n  │ command: touch made');
  expect(existsSync(join(talk.home.stateDir, 'workspace/made'))).toBe(false);
  await talk.chat.write('ada', `always ${id}`);
  await talk.bot.idle();
  expect(existsSync(join(talk.home.stateDir, 'workspace/made'))).toBe(true);
  await talk.chat.write('ada', 'make it');
  await talk.bot.idle();
  expect(talk.questionsTo('ada')).toHaveLength(1);
  expect(talk.said().at(-1)).toBe('(no output)\n(Command exited with code 0)');
});

test('exec is not offered unless it is configured, and a deny rule holds for it', async () => {
  const steps = [{ tool: 'exec', args: { command: 'echo a; touch made' } }, REPLY];
  const plain = await new Dialogue().open(steps);
  await plain.chat.write('ada', 'make it');
  await plain.bot.idle();
  expect(plain.said()[0]).toContain('The tool exec must not be used in this session.');
  const talk = await new Dialogue().open(steps, {
    tools: { exec: { security: 'full' } },
    agents: { defaults: { permissions: { deny: ['Bash(touch:*)'] } } },
  });
  await talk.chat.write('ada', 'make it');
  await talk.bot.idle();
  expect(talk.said()).toEqual(['The rule Bash(touch:*) forbids it. Do not try it in another way.']);
});

test('execAsk of a session asks before each tool that changes something', async () => {
  const steps = [
    { tool: 'list_files', args: {} },
    { tool: 'write_file', args: { path: 'a.txt', content: 'hello' } },
    REPLY,
  ];
  const talk = await new Dialogue().open([{ text: 'Hi.' }]);
  await talk.chat.write('ada', 'hello');
  await talk.bot.idle();
  await talk.bot.close();
  talk.home.changeEntry(MAIN, { execAsk: 'always' });
  const again = Object.assign(new Dialogue(), { home: talk.home, chat: talk.chat.again() });
  await again.open(steps);
  await again.chat.write('ada', 'write it');
  await again.chat.write('ada', `yes ${await again.question()}`);
  await again.bot.idle();
  expect(again.said().at(-1)).toContain('Wrote 5 bytes to a.txt.');
  expect(again.questionsTo('ada')).toHaveLength(1);
});

test('a caller without a terminal and without a channel is told why nothing is asked', async () => {
  const talk = await new Dialogue().open();
  expect(textsOf(await talk.bot.say({ message: 'publish it' }))).toEqual([
    'No rule allows it, and no person can be asked: there is no terminal, and this process has no channel to the conversation.',
  ]);
});

test.each([
  { moment: 'after', killAt: 'sent:question:', repeats: [false] },
  // It may not have arrived: it is sent again, and only then the new one.
  { moment: 'before', killAt: 'shown:Permission needed', repeats: [false, true] },
])(
  'a crash $moment a question counts as sent: it is closed, and the run asks again',
  async ({ killAt, repeats }) => {
    const folder = makeTempFolder();
    const [stateDir, sentFile] = [join(folder, 'state'), join(folder, 'sent.jsonl')];
    const config = {
      channels: { chat: { allowFrom: ['ada'] } },
      agents: { defaults: { model: 'script/asks' } },
    };
    mkdirSync(join(stateDir, 'scripts'), { recursive: true });
    writeFileSync(join(stateDir, 'scripts/asks.json'), JSON.stringify({ turns: [{ steps: [PUSH, REPLY] }] }));
    const start = (...kill: string[]) => {
      const args = [stateDir, sentFile, JSON.stringify(config), ...kill];
      const child = fork(programOf(import.meta.dirname, 'chat-process.ts'), args, {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      afterTest(() => void child.kill('SIGKILL'));
      return child;
    };
    const sent = () =>
      existsSync(sentFile)
        ? readFileSync(sentFile, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as SentLine)
        : [];
    const questions = () =>
      sent().flatMap(({ text, mayBeRepeat }) => {
        const id = /^Permission needed \[(\w+)\]/.exec(text)?.[1];
        return id === undefined ? [] : [{ id, mayBeRepeat }];
      });
    const write = (id: string, text: string): ChatMessage => ({ id, from: 'ada', text });

    const first = start(killAt);
    const killed = once(first, 'exit');
    await once(first, 'message');
    first.send(write('m1', 'publish it'));
    expect(await killed).toEqual([null, 'SIGKILL']);
    const { id: old } = questions()[0]!;

    const second = start();
    await once(second, 'message');
    const { id: next } = await waitFor(
      () => `another question than ${old} in ${JSON.stringify(sent())}`,
      () => questions().find(({ id }) => id !== old),
    );
    second.send(write('m2', `yes ${old}`));
    await waitFor(
      () => `the sentence in ${JSON.stringify(sent())}`,
      () => sent().find(({ text }) => text.startsWith('That question is closed.')),
    );
    second.send(write('m3', `yes ${next}`));
    second.send('end');
    await once(second, 'exit');
    expect(questions()).toEqual([
      ...repeats.map((mayBeRepeat) => ({ id: old, mayBeRepeat })),
      { id: next, mayBeRepeat: false },
    ]);
    const others = sent().filter(({ text }) => !text.includes('Permission needed'));
    expect(others.map(({ text }) => text)).toEqual([
      `That question is closed. [${old}] The process that asked ended before it had an answer, so nothing was allowed. If it is still needed, the agent asks again.`,
      `[${next}] Allowed.`,
      'It was allowed.',
    ]);
  },
);

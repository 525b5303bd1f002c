/** What people ask of the bot itself, through a channel. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { Runner } from '../../src/runners/contract.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import type { Question } from '../../src/runners/script/script.ts';
import { BotHome, Chat, type HomeOptions, MAIN, PARROT } from './bot-home.ts';

const CONFIG: BotConfig = {
  channels: { memory: { allowFrom: ['ada'] } },
  agents: {
    defaults: { model: 'script/echo', models: { 'script/fast': { alias: 'quick' }, 'script/slow': {} } },
  },
};

async function open(options: HomeOptions = {}) {
  const home = new BotHome();
  const chat = new Chat();
  const asked: string[] = [];
  const play = options.play ?? PARROT;
  const bot = await home.open({
    config: CONFIG,
    channels: [chat.channel],
    ...options,
    play: (question: Question) => {
      // A new main session begins with the channels.
      const prompt = question.prompt.replace(/^System: .*\n\n/, '');
      asked.push(prompt);
      return play({ ...question, prompt });
    },
  });
  const last = () => chat.shown.at(-1)?.replace(/^\w+: /, '') ?? '';
  const write = async (text: string, from = 'ada') => {
    await chat.write(from, text);
    await bot.idle();
    return last();
  };
  return { home, chat, bot, asked, write };
}

describe('settings', () => {
  test('are set for the session and shown, and no model is asked', async () => {
    const { home, asked, write } = await open();
    for (const [text, answer, fields] of [
      ['/think high', 'think: high, for this session.', { thinkingLevel: 'high' }],
      ['/T: low', 'think: low, for this session.', { thinkingLevel: 'low' }],
      ['/reasoning on', 'reasoning: on, for this session.', { reasoningLevel: 'on' }],
      ['/v full', 'verbose: full, for this session.', { verboseLevel: 'full' }],
      ['/usage on', 'usage: tokens, for this session.', { responseUsage: 'tokens' }],
      ['/label Nightly build', 'label: Nightly build, for this session.', { label: 'Nightly build' }],
      [
        '/queue steer cap:3 debounce:2s drop:old',
        'queue: steer debounce:2s cap:3 drop:old, for this session.',
        { queueMode: 'steer', queueCap: 3, queueDebounceMs: 2000, queueDrop: 'old' },
      ],
      [
        '/model quick',
        'model: script/fast, for this session.',
        { providerOverride: 'script', modelOverride: 'fast' },
      ],
      [
        '/model 1',
        'model: script/echo, for this session.',
        { providerOverride: 'script', modelOverride: 'echo' },
      ],
      [
        '/think high /verbose on',
        'think: high, for this session.\nverbose: on, for this session.',
        { thinkingLevel: 'high', verboseLevel: 'on' },
      ],
      ['/send off', 'send: off, for this session.', { sendPolicy: 'deny' }],
      // The agent is silent now, and its person is answered all the same.
      [
        '/send inherit',
        'send: as configured. This session has no setting of its own any more.',
        { sendPolicy: undefined },
      ],
      [
        '/think default',
        'think: as the model does by itself. This session has no setting of its own any more.',
        { thinkingLevel: undefined },
      ],
    ] as const) {
      expect(await write(text)).toBe(answer);
      expect(home.entryOf(), text).toMatchObject(
        Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
      );
      for (const [field, value] of Object.entries(fields))
        if (value === undefined) expect(home.entryOf()).not.toHaveProperty(field);
    }
    expect(asked).toEqual([]);
    expect(await write('say hello')).toMatch(/^hello\n\nUsage: /);
    expect(home.saidIn()).toEqual([expect.stringMatching(/^user: .*say hello$/s), 'assistant: hello']);
  });

  test('a bad value is explained and changes nothing', async () => {
    const { home, write, asked } = await open();
    expect(await write('/think hgih')).toBe(
      '"hgih" is none of off, minimal, low, medium, high, xhigh, adaptive, max, ultra, default. Did you mean high?',
    );
    expect(await write('/model scirpt/fast')).toBe(
      'There is no model "scirpt/fast". Did you mean script/fast?',
    );
    expect(await write('/queue later')).toContain('"later" is neither a queue mode');
    expect(await write('/activation always')).toBe(
      'Only a group has an activation: a direct message always gets an answer.',
    );
    expect(await write('/clean hard')).toContain('There is no preset "hard"');
    expect(await write('/history many')).toContain('"many" is no number of turns');
    expect(await write('/model')).toBe(
      [
        'model: script/echo (not set for this session)',
        '1. script/echo (default)',
        '2. script/fast (alias quick)',
        '3. script/slow',
        'To change it: /model name. To remove it: /model default.',
      ].join('\n'),
    );
    expect(home.entriesOf()).toEqual({});
    expect(asked).toEqual([]);
  });

  test('a label of another session is refused', async () => {
    const { home, bot, chat } = await open({ config: { ...CONFIG, session: { dmScope: 'per-peer' } } });
    await chat.write('bob', '/label mine', { ctx: { CommandAuthorized: true, SenderId: 'ada' } });
    await bot.idle();
    await chat.write('eve', '/label mine', {
      ctx: { SenderId: 'ada', From: 'eve2', SessionKey: 'agent:main:x' },
    });
    await bot.idle();
    expect(chat.shown).toEqual([
      'bob: label: mine, for this session.',
      'eve: Another session has the label "mine".',
    ]);
    expect(Object.values(home.entriesOf()).map(({ label }) => label)).toEqual(['mine']);
  });
});

describe('inside a message', () => {
  test('settings hold for its answer alone, and the model does not read them', async () => {
    const { home, asked, write } = await open({
      play: ({ prompt }) => [{ thinking: 'hm' }, { text: `${prompt}!` }],
    });
    expect(await write('/think high please /reasoning on solve this')).toBe('please solve this!');
    expect(asked).toEqual(['please solve this']);
    expect(home.entryOf()).toMatchObject({ lastThinkingLevel: 'high' });
    expect(home.entryOf()).not.toHaveProperty('thinkingLevel');
    expect(home.entryOf()).not.toHaveProperty('reasoningLevel');
    expect(home.linesOf().filter(({ type }) => type === 'thinking_level_change')).toMatchObject([
      { thinkingLevel: 'high' },
    ]);
    expect(await write('use /model quick for this')).toBe('use for this!');
    expect(home.entryOf()).toMatchObject({ model: 'fast' });
    expect(home.entryOf()).not.toHaveProperty('modelOverride');
    expect(await write('/quick again')).toBe('again!');
    expect(home.entryOf()).toMatchObject({ model: 'fast' });
    expect(await write('/new /think low then')).toBe('then!');
    expect(home.entryOf()).toMatchObject({ lastThinkingLevel: 'low', model: 'echo' });
  });

  test('what is no command is left to the agent', async () => {
    const { asked, write } = await open();
    const texts = [
      '/etc/hosts what is in it?',
      'look at /etc/hosts',
      'either/or',
      '/ is a slash',
      'let me /think about it',
      'the flag /verbose is odd',
      '//',
      '/2 of it',
      'run /model unknown-thing now',
    ];
    for (const text of texts) await write(text);
    expect(asked).toEqual(texts);
  });

  test('a shortcut is answered with the rest', async () => {
    const { asked, chat, write } = await open();
    await write('hey /whoami say hello');
    expect(asked).toEqual(['hey say hello']);
    expect(chat.shown).toEqual([expect.stringMatching(/^ada: You: ada\nId: ada\n/), 'ada: hello']);
  });
});

test('an unknown command gets the nearest one', async () => {
  const { asked, write } = await open();
  expect(await write('/statsu')).toContain('There is no command /statsu. Did you mean /status?');
  expect(await write('/xyzzy now')).toContain('There is no command /xyzzy. Send /help');
  expect(await write('/think high /modle quick')).toContain(
    'There is no command /modle. Did you mean /model?',
  );
  expect(await write('/stop it, please')).toBe('Nothing was stopped. To stop the run, send /stop alone.');
  expect(asked).toEqual([]);
});

test('/help names every command', async () => {
  const { write } = await open();
  const lines = (await write('/help')).split('\n').filter((line) => line.startsWith('/'));
  expect(lines.map((line) => line.split(' ')[0])).toEqual(
    '/help /status /whoami /new /reset /stop /model /think /reasoning /verbose /usage /queue /activation /send /label /history /clean /restore /compact'.split(
      ' ',
    ),
  );
  expect(await write('/help think')).toContain('Also: /thinking, /t.');
});

test('/new without a text is answered by no model, and nothing empty is in the new session', async () => {
  const { home, asked, bot, write } = await open();
  await write('say first');
  const before = Object.values(home.entriesOf())[0]!.sessionId;
  expect(await write('/new')).toMatch(/^A new session has begun, with /);
  expect(asked).toEqual(['say first']);
  const after = Object.values(home.entriesOf())[0]!.sessionId;
  expect(after).not.toBe(before);
  expect(await write('say second')).toBe('second');
  expect(Object.values(home.entriesOf())[0]!.sessionId).toBe(after);
  await bot.close();
});

test('what follows /new and is a command is answered as one', async () => {
  const { home, asked, bot, write } = await open();
  const begun = 'A new session has begun, with script/echo.';
  await write('say first');
  expect(await write('/new /status')).toMatch(
    /^A new session has begun, with script\/echo\.\n\nSession: .*\nModel: script\/echo/,
  );
  expect(await write('/new quick /whoami')).toMatch(
    /^A new session has begun, with script\/fast\.\n\nYou: ada/,
  );
  // Settings alone are for the session, as without /new.
  expect(await write('/new echo /think high')).toBe(`${begun}\n\nthink: high, for this session.`);
  expect(home.entriesOf()[MAIN]).toMatchObject({ thinkingLevel: 'high' });
  expect(await write('/new /label Next')).toBe(`${begun}\n\nlabel: Next, for this session.`);
  expect(await write('/new /nosuch thing')).toContain('There is no command /nosuch.');
  expect(await write('/new /status /clean')).toContain('Nothing was done: a message can have one command.');
  expect(await write('/new quick /new say it')).toContain('begins with: /new, /reset');
  expect(asked).toEqual(['say first']);
  expect(await write('/new /reset say more')).toBe('more');
  expect(asked).toEqual(['say first', 'say more']);
  await bot.close();
});

test.each([
  ['/new script/echo say text', expect.stringMatching(/^You said: say text\n/), 'echo'],
  ['/new Script/Echo say text', expect.stringMatching(/^You said: say text\n/), 'echo'],
  ['/new script/other say text', 'Other: say text', 'other'],
  ['/new script/missing say text', 'Small: script/missing say text', undefined],
  ['/new and/or say text', 'Small: and/or say text', undefined],
  ['/new claude/nonsense say text', 'Small: claude/nonsense say text', undefined],
])('a model that the configuration does not name: %s', async (text, answer, modelOverride) => {
  const home = new BotHome();
  home.writeScript('small', { turns: [{ steps: [{ text: 'Small: {{prompt}}' }] }] });
  home.writeScript('other', { turns: [{ steps: [{ text: 'Other: {{prompt}}' }] }] });
  const bot = await home.open({ config: { agents: { defaults: { model: 'script/small' } } } });
  const { payloads } = await bot.say({ message: text });
  expect(payloads.map((payload) => payload.text)).toEqual([answer]);
  expect(home.entryOf().modelOverride).toBe(modelOverride);
  await bot.close();
});

test.each(['src/a.ts', 'https://example.org/a', '/etc/hosts', 'constructor/a'])(
  'no runner is loaded for a first word that names no provider: %s',
  async (word) => {
    const home = new BotHome();
    const small = makeScriptRunner({ script: { turns: [{ steps: [{ text: 'Small: {{prompt}}' }] }] } });
    const wanted: string[] = [];
    const runners = new Proxy<Record<string, Runner>>(
      { script: small },
      {
        get: (all, provider) => {
          wanted.push(String(provider));
          return all[String(provider)];
        },
      },
    );
    const bot = await home.open({ config: { agents: { defaults: { model: 'script/small' } } }, runners });
    const { payloads } = await bot.say({ message: `/new ${word} look` });
    expect(payloads.map((payload) => payload.text)).toEqual([`Small: ${word} look`]);
    expect([...new Set(wanted)]).toEqual(['script']);
    await bot.close();
  },
);

test('/new that is not among the configured words is answered with those', async () => {
  const { asked, bot, write } = await open({ config: { ...CONFIG, session: { resetTriggers: ['fresh'] } } });
  expect(await write('/new')).toBe(
    'Nothing was begun by it. A message that begins a new session begins with: fresh',
  );
  expect(asked).toEqual([]);
  await bot.close();
});

test('a command of a sender who may give none does nothing, and the agent does not read it', async () => {
  const { home, chat, bot, asked, write } = await open();
  for (const text of ['/status', '/think high', '/new', '/stop', '/clean', '/label mine'])
    await write(text, 'eve');
  expect(chat.shown).toEqual([]);
  expect(asked).toEqual([]);
  expect(home.entriesOf()).toEqual({});
  // Plain words, as in OpenClaw.
  expect(await write('/think high say it', 'eve')).toBe('it');
  expect(await write('/unheard say so', 'eve')).toBe('so');
  expect(asked).toEqual(['/think high say it', '/unheard say so']);
  await bot.close();
});

describe('during a run', () => {
  test.each(['collect', 'steer', 'interrupt', 'followup'])(
    'in mode %s a command is answered at once and the run goes on',
    async (mode) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const { home, chat, bot, asked } = await open({
        config: { ...CONFIG, messages: { queue: { mode, debounceMs: 0 } }, agents: { maxConcurrentRuns: 1 } },
        play: async function* ({ prompt }: Question) {
          begun.resolve();
          await promise;
          yield { text: `done: ${prompt}` };
        },
      });
      await chat.write('ada', 'work');
      await begun.promise;
      await chat.write('ada', '/status');
      await chat.until((line) => line.includes('a run is under way'));
      await chat.write('ada', '/think high');
      await chat.until((line) => line.includes('think: high'));
      await chat.write('ada', '/clean');
      await chat.write('ada', '/history');
      await chat.until((line) => line.includes('> work\n(no answer)'));
      expect(chat.shown).toHaveLength(3);
      resolve();
      await bot.idle();
      expect(asked).toEqual(['work']);
      expect(chat.shown.slice(3)).toEqual([
        'ada: done: work',
        expect.stringContaining('Nothing was cleaned'),
      ]);
      expect(home.saidIn()).toEqual([expect.stringMatching(/^user: .*work$/s), 'assistant: done: work']);
    },
  );
});

test('groups: the name of the bot, mentions before it, other bots', async () => {
  const { chat, bot, asked, home } = await open({
    config: { channels: { memory: { allowFrom: ['+1'], groups: { '*': { requireMention: true } } } } },
  });
  const ann = { name: 'Ann', id: '+1' };
  const bob = { name: 'Bob', id: '+2' };
  const ctx = { BotUsername: 'openbot' };
  const write = async (text: string, who = ann) => {
    await chat.writeInGroup('g', who, text, ctx);
    await bot.idle();
  };
  await write('the plan is blue', bob);
  await write('/activation always@x');
  await write('/whoami@openbot');
  await write('@openbot /label Team');
  await write('/status@otherbot');
  await write('/whatever');
  await write('/whoami', bob);
  expect(chat.shown.map((line) => line.split('\n')[0])).toEqual([
    'g: "always@x" is none of mention, always, default. Did you mean always?',
    'g: You: Ann',
    'g: label: Team, for this session.',
  ]);
  expect(asked).toEqual([]);
  // What was said before is still to be read: a command is no turn of the agent.
  await write('@openbot say ok');
  expect(asked.join()).toContain('the plan is blue');
  expect(asked.join()).not.toContain('/label');
  await write('/activation always');
  expect(home.entryOf('agent:main:memory:group:g')).toMatchObject({
    label: 'Team',
    groupActivation: 'always',
    groupActivationNeedsSystemIntro: true,
  });
});

test('/history shows the last turns shortly', async () => {
  const { write } = await open({
    play: ({ prompt }) =>
      prompt === 'two' ? [{ tool: 'list_files', args: {} }, { text: 'second' }] : [{ text: `re: ${prompt}` }],
  });
  expect(await write('/history')).toBe('Nothing was said in this session yet.');
  for (const text of ['one', 'two', 'three']) await write(text);
  expect(await write('/history 2')).toBe('> two\nsecond [1 tool call]\n> three\nre: three');
});

test('/clean, /restore and /status tell the same story', async () => {
  const { home, write } = await open({
    play: ({ prompt }) =>
      prompt.startsWith('read')
        ? [{ tool: 'read_file', args: { path: 'big.txt' } }, { text: 'read' }]
        : [{ text: 'ok' }],
  });
  await write('hello');
  writeFileSync(`${home.stateDir}/workspace/big.txt`, 'lorem ipsum '.repeat(2000));
  await write('read it');
  await write('read it again');
  expect(await write('/restore')).toBe('There is no clean of this session to undo.');
  expect(await write('/status')).toContain('Last clean: none in this session');
  const before = JSON.stringify(home.linesOf());
  expect(await write('/clean extreme')).toMatch(/^Cleaned: about [\d,k]+ tokens .* \/restore\.$/);
  expect(home.entryOf().lastClean).toMatchObject({ preset: 'extreme' });
  expect(JSON.stringify(home.linesOf()).length).toBeLessThan(before.length);
  expect(await write('/status')).toMatch(/Last clean: just now, saved about/);
  expect(await write('/clean extreme')).toContain('Nothing was cleaned');
  await write('and now?');
  expect(await write('/restore')).toMatch(/^Restored: (?!.*thinking)/);
  expect(home.entryOf()).not.toHaveProperty('lastClean');
  expect(JSON.stringify(home.linesOf()).slice(0, before.length - 1)).toBe(before.slice(0, -1));
  expect(home.saidIn().slice(-2)).toEqual(['user: and now?', 'assistant: ok']);
  home.checkTranscripts();
});

test('/restore names the thinking that goes with it', async () => {
  const { home, write } = await open({
    play: ({ prompt }) =>
      prompt === 'list' ? [{ tool: 'list_files', args: {} }, { text: 'ok' }] : [{ text: 'ok' }],
  });
  await write('list');
  await write('/clean extreme');
  await write('and now?');
  const path = `${home.stateDir}/agents/main/sessions/${home.entryOf().sessionId}.jsonl`;
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const at = lines.findLastIndex((line) => line.includes('"role":"assistant"'));
  const answer = JSON.parse(lines[at]!);
  answer.message.model = 'claude-opus-5-5';
  answer.message.content.unshift({ type: 'thinking', thinking: 'Hm.', thinkingSignature: 'c2lnbmVk' });
  lines[at] = JSON.stringify(answer);
  writeFileSync(path, `${lines.join('\n')}\n`);
  expect(await write('/restore')).toMatch(
    /^Restored: .* The model's thinking since then \(1 block\) is removed, because /,
  );
  expect(readFileSync(path, 'utf8')).not.toContain('thinkingSignature');
});

test('/compact has the runner summarise, with instructions, and counts it', async () => {
  const { home, write } = await open();
  expect(await write('/compact')).toBe('Nothing was said in this session yet.');
  await write('say one');
  for (const text of ['say two', 'say three', 'say four', 'say five']) await write(text);
  expect(await write('/compact keep the numbers')).toMatch(/^Compacted: .* tokens now\.$/);
  expect(home.entryOf()).toMatchObject({ compactionCount: 1 });
  const [compaction] = home.linesOf().filter(({ type }) => type === 'compaction');
  expect(compaction?.summary).toContain('keep the numbers');
  expect(await write('/status')).toContain('1 compaction');
  expect(await write('say six')).toBe('six');
  home.checkTranscripts();
});

test('the person at the machine gives commands too', async () => {
  const home = new BotHome();
  const bot = await home.open({ play: PARROT });
  const status = await bot.say({ message: '/status' });
  expect(status).toMatchObject({ outcome: 'answered', sessionKey: MAIN });
  expect(status.payloads[0]?.text).toContain('Context: ░░░░░░░░░░ 0%, 0 of 200k tokens');
  expect((await bot.say({ message: '/whoami' })).payloads[0]?.text).toContain('the person at this machine');
  await bot.say({ message: 'say one' });
  const used = await bot.say({ message: '/status' });
  expect(used.payloads[0]?.text).toMatch(/Context: ▏░{9} <1%, \d+ of 200k tokens/);
});

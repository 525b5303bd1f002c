/** What a person sets for a session, in whole turns. */
import type { SessionEntry } from '@openbot/sessions';
import { describe, expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { Runner, RunRequest } from '../../src/runners/contract.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import type { ScriptStep } from '../../src/runners/script/script.ts';
import { asAnswer, BotHome, Chat, MAIN, type Play, textsOf } from './bot-home.ts';

/** A runner that remembers what it was asked for. */
function watchedRunner(play: Play): { readonly runner: Runner; readonly requests: RunRequest[] } {
  const requests: RunRequest[] = [];
  const script = makeScriptRunner({ script: { contextWindow: 100_000, answer: asAnswer(play) } });
  const start: Runner['start'] = (request) => {
    requests.push(request);
    return script.start(request);
  };
  return { runner: { ...script, start }, requests };
}

/** A session that has begun, with settings that were made meanwhile. */
async function makeSession(
  change: Partial<SessionEntry>,
  steps: readonly ScriptStep[],
  config: BotConfig = {},
) {
  const home = new BotHome();
  const { runner, requests } = watchedRunner(() => steps);
  const options = { config, runners: { script: runner } };
  const bot = await home.open(options);
  await bot.say({ message: 'first' });
  await bot.close();
  home.changeEntry(MAIN, change);
  requests.length = 0;
  return { home, requests, bot: await home.open(options) };
}

describe('responseUsage', () => {
  const steps: ScriptStep[] = [
    { usage: { input: 1000, output: 20, cacheRead: 500, cacheWrite: 0 } },
    { text: 'Here.' },
  ];

  test.each([
    ['off', 'Here.'],
    ['on', 'Here.\n\nUsage: 1,500 in · 20 out'],
    ['tokens', 'Here.\n\nUsage: 1,500 in · 20 out'],
    [
      'full',
      'Here.\n\nUsage: 1,500 in · 20 out · cache 500 read, 0 written · context 1,520 of 100k · script/echo',
    ],
  ] as const)('%s', async (responseUsage, expected) => {
    const { bot } = await makeSession({ responseUsage }, steps);
    expect(textsOf(await bot.say({ message: 'second' }))).toEqual([expected]);
  });

  test('adds up the requests of a run, and names the model that answered', async () => {
    const config: BotConfig = {
      agents: { defaults: { model: { primary: 'script/first', fallbacks: ['script/second'] } } },
    };
    const home = new BotHome();
    const { runner } = watchedRunner(({ model }) => [
      { usage: { input: 1000, output: 10 } },
      { tool: 'list_files' },
      { usage: { input: 2000, output: 10 } },
      ...(model === 'first' ? [{ fail: 'No', failure: 'unreachable' } as const] : [{ text: 'Here.' }]),
    ]);
    const bot = await home.open({ config, runners: { script: runner } });
    await bot.say({ message: 'first' });
    await bot.close();
    home.changeEntry(MAIN, { responseUsage: 'full' });
    const again = await home.open({ config, runners: { script: runner } });
    expect(textsOf(await again.say({ message: 'second' }))).toEqual([
      'Here.\n\nUsage: 3,000 in · 20 out · context 2,010 of 100k · script/second',
    ]);
  });
});

describe('thinkingLevel', () => {
  test('reaches the runner and the transcript, over the agent’s, and the prefix names it', async () => {
    const config: BotConfig = {
      agents: { defaults: { thinkingDefault: 'low' } },
      messages: { responsePrefix: '[{think}]' },
    };
    const { home, bot, requests } = await makeSession({ thinkingLevel: 'high' }, [{ text: 'Here.' }], config);
    expect(textsOf(await bot.say({ message: 'second' }))).toEqual(['[high] Here.']);
    await bot.close();
    home.changeEntry(MAIN, { thinkingLevel: undefined });
    const again = await home.open({ config, script: { turns: [{ steps: [{ text: 'There.' }] }] } });
    expect(textsOf(await again.say({ message: 'third' }))).toEqual(['[low] There.']);
    expect(requests.map(({ thinkingLevel }) => thinkingLevel)).toEqual(['high']);
    const levels = home.linesOf().filter(({ type }) => type === 'thinking_level_change');
    expect(levels.map(({ thinkingLevel }) => thinkingLevel)).toEqual(['low', 'high', 'low']);
  });

  test('is kept when the model gives way', async () => {
    const home = new BotHome();
    const { runner, requests } = watchedRunner(({ model }) =>
      model === 'first' ? [{ fail: 'No', failure: 'unreachable' }] : [{ text: 'Here.' }],
    );
    const model = { primary: 'script/first', fallbacks: ['script/second'] };
    const bot = await home.open({ config: { agents: { defaults: { model } } }, runners: { script: runner } });
    await bot.say({ message: 'hi', thinking: 'high' });
    expect(requests.map(({ model: { model: name }, thinkingLevel }) => [name, thinkingLevel])).toEqual([
      ['first', 'high'],
      ['second', 'high'],
    ]);
    const [first, second] = requests.map(({ systemPrompt }) => systemPrompt);
    expect(second!.text).toBe(first!.text);
    expect([first, second].map((prompt) => prompt!.report.model)).toEqual(['first', 'second']);
  });
});

test.each([
  ['on', undefined, ['🛠️ list_files', 'Here.']],
  ['off', 'on', ['Here.']],
  [undefined, 'on', ['🛠️ list_files', 'Here.']],
  ['full', undefined, [expect.stringMatching(/^🛠️ list_files\n```\n[\s\S]+\n```$/), 'Here.']],
])('verboseLevel %s over verboseDefault %s', async (verboseLevel, verboseDefault, expected) => {
  const config: BotConfig = { agents: { defaults: { verboseDefault } } };
  const { bot } = await makeSession({ verboseLevel }, [{ tool: 'list_files' }, { text: 'Here.' }], config);
  expect(textsOf(await bot.say({ message: 'second' }))).toEqual(expected);
});

describe('groupActivation', () => {
  const KEY = 'agent:main:whatsapp:group:1@g.us';
  const ALICE = { name: 'Alice', id: '+15550001' };

  test('of the session wins over the configuration, and the agent is told what holds', async () => {
    const home = new BotHome();
    const chat = new Chat({ name: 'whatsapp' });
    const { runner, requests } = watchedRunner(() => [{ text: 'Here.' }]);
    const config: BotConfig = { channels: { whatsapp: { groups: { '*': { requireMention: false } } } } };
    const options = { config, runners: { script: runner } };
    const bot = await home.open({ ...options, channels: [chat.channel] });
    await chat.writeInGroup('1@g.us', ALICE, 'one');
    await bot.idle();
    await bot.close();
    // As another program may have written it.
    home.changeEntry(KEY, {
      groupActivation: ' Mention' as 'mention',
      groupActivationNeedsSystemIntro: true,
    });
    const later = chat.again();
    const next = await home.open({ ...options, channels: [later.channel] });
    await later.writeInGroup('1@g.us', ALICE, 'two');
    await later.writeInGroup('1@g.us', ALICE, 'three', { WasMentioned: true });
    await next.idle();
    expect(later.shown).toHaveLength(2);
    const always = 'You are given every message.';
    const mention = 'You are given a message when it mentions you';
    expect(
      requests.map(({ systemPrompt: { text } }) => [always, mention].filter((one) => text.includes(one))),
    ).toEqual([[always], [always]]);
    expect(home.saidIn(KEY).at(-2)).toContain(`The settings of this group were changed. ${mention}`);
    expect(home.saidIn(KEY).at(-2)).toContain(`\nSystem: + ${mention}`);
  });

  test('is introduced again when the run that was told did not reach the model', async () => {
    const home = new BotHome();
    const chat = new Chat({ name: 'whatsapp' });
    let steps: readonly ScriptStep[] = [{ text: 'Here.' }];
    const { runner } = watchedRunner(() => steps);
    const bot = await home.open({ runners: { script: runner }, channels: [chat.channel] });
    await chat.writeInGroup('1@g.us', ALICE, 'one', { WasMentioned: true });
    await bot.idle();
    await bot.close();
    home.changeEntry(KEY, { groupActivation: 'always', groupActivationNeedsSystemIntro: true });
    const later = chat.again();
    const next = await home.open({ runners: { script: runner }, channels: [later.channel] });
    steps = [{ fail: 'No' }];
    await later.writeInGroup('1@g.us', ALICE, 'two');
    await next.idle();
    expect(home.entryOf(KEY).groupActivationNeedsSystemIntro).toBe(true);
    steps = [{ text: 'Here.' }];
    await later.writeInGroup('1@g.us', ALICE, 'three');
    await next.idle();
    expect(home.entryOf(KEY).groupActivationNeedsSystemIntro).toBe(false);
  });
});

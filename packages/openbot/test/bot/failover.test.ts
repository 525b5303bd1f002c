import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { Cooldown } from '../../src/cooldowns/contract.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import type { Question, ScriptStep } from '../../src/runners/script/script.ts';
import { asAnswer, BotHome, Chat, MAIN, type Play, textsOf } from './bot-home.ts';
import { runOneMessage } from './failover-process.ts';

const TWO: BotConfig = {
  agents: { defaults: { model: { primary: 'script/first', fallbacks: ['script/second'] } } },
};
const NOTICE = '↪️ script/first is overloaded. script/second answers instead.';
const MINUTE = 60_000;

/** What the first model does can be changed; the second repeats what it was asked. */
function twoModels() {
  const models = {
    asked: [] as string[],
    first: [{ fail: 'Overloaded', failure: 'overloaded' }] as readonly ScriptStep[],
    second: undefined as readonly ScriptStep[] | undefined,
  };
  const play: Play = ({ model, prompt }) => {
    models.asked.push(model);
    if (model === 'first') return models.first;
    return models.second ?? [{ text: `second: ${/say (.*)$/s.exec(prompt)?.[1] ?? prompt}` }];
  };
  return { models, play };
}

const cooldownsOf = (home: BotHome): Record<string, Cooldown> =>
  JSON.parse(readFileSync(join(home.stateDir, 'model-cooldowns.json'), 'utf8')).models;

const modelsIn = (home: BotHome, key = MAIN) =>
  home
    .linesOf(key)
    .flatMap(({ type, provider, modelId }) => (type === 'model_change' ? `${provider}/${modelId}` : []));

describe('a model that fails gives way to the next', () => {
  test('the person is told once, also after a restart, and once more when it is back', async () => {
    const home = new BotHome();
    home.time = Date.now();
    const { models, play } = twoModels();
    const bot = await home.open({ config: TWO, play });
    const first = await bot.say({ message: 'say one' });
    expect(first).toMatchObject({ outcome: 'answered', provider: 'script', model: 'second' });
    expect(textsOf(first)).toEqual([`second: one\n\n${NOTICE}`]);
    expect(home.entryOf()).toMatchObject({ model: 'second', modelProvider: 'script', status: 'done' });
    expect(textsOf(await bot.say({ message: 'say two' }))).toEqual(['second: two']);
    await bot.close();

    const again = await home.open({ config: TWO, play });
    expect(textsOf(await again.say({ message: 'say three' }))).toEqual(['second: three']);
    expect(models.asked).toEqual(['first', 'second', 'second', 'second']);
    expect(cooldownsOf(home)['script/first']).toMatchObject({ failure: 'overloaded', failures: 1 });

    home.time += MINUTE;
    models.first = [{ text: 'first: here' }];
    expect(textsOf(await again.say({ message: 'say four' }))).toEqual([
      'first: here\n\n↩️ script/first answers again.',
    ]);
    expect(textsOf(await again.say({ message: 'say five' }))).toEqual(['first: here']);
    expect(cooldownsOf(home)).toEqual({});
    expect(home.entryOf().fallbackNoticeSelectedModel).toBeUndefined();
    expect(modelsIn(home)).toEqual(['script/first', 'script/second', 'script/first']);
    // The message was asked once, and the notices are not the model's words.
    expect(home.saidIn().filter((line) => line.startsWith('user'))).toHaveLength(5);
    expect(home.saidIn()[1]).toBe('assistant: second: one');
    home.checkTranscripts();
  });

  test.each([
    ['before it has said something', []],
    ['after it has', [{ tool: 'write_file', args: { path: 'memory/a.md', content: 'A' } }] as ScriptStep[]],
  ])('also where memories are saved, %s', async (_when, spoken) => {
    const home = new BotHome();
    const asked: string[] = [];
    let isDown = false;
    const answer = asAnswer(({ model, prompt }: Question) => {
      const isFlush = prompt.includes('Pre-compaction memory flush');
      asked.push(`${model}${isFlush ? ' saves' : ''}`);
      if (isDown && model === 'first')
        return [...(isFlush ? spoken : []), { fail: 'Overloaded', failure: 'overloaded' }];
      return [{ usage: { input: 38_000, output: 10 } }, { text: isFlush ? 'NO_REPLY' : `by ${model}` }];
    });
    const script = makeScriptRunner({ script: { contextWindow: 50_000, answer } });
    const bot = await home.open({ config: TWO, runners: { script } });
    expect(textsOf(await bot.say({ message: 'my cat is called Minka' }))).toEqual(['by first']);
    isDown = true;
    const result = await bot.say({ message: 'two' });
    // What failed there is not asked again for the message.
    expect(asked).toEqual(['first', 'first saves', 'second saves', 'second']);
    expect(result).toMatchObject({ outcome: 'answered', model: 'second' });
    expect(textsOf(result)).toEqual([`by second\n\n${NOTICE}`]);
    expect(home.entryOf()).toMatchObject({ memoryFlushCompactionCount: 0, model: 'second' });
    expect(modelsIn(home)).toEqual(['script/first', 'script/second']);
    await bot.say({ message: 'three' });
    expect(asked.slice(4)).toEqual(['second']);
    home.checkTranscripts();
  });

  test('it is asked again when its time is over, and rests longer when it fails again', async () => {
    const home = new BotHome();
    home.time = Date.now();
    const { models, play } = twoModels();
    const bot = await home.open({ config: TWO, play });
    await bot.say({ message: 'say one' });
    home.time += MINUTE;
    expect(textsOf(await bot.say({ message: 'say two' }))).toEqual(['second: two']);
    expect(models.asked).toEqual(['first', 'second', 'first', 'second']);
    expect(cooldownsOf(home)['script/first']).toMatchObject({ failures: 2, until: home.time + 2 * MINUTE });
  });

  test('as long as the provider asks', async () => {
    const home = new BotHome();
    home.time = Date.now();
    const { models, play } = twoModels();
    models.first = [{ fail: 'Slow down', failure: 'rate-limited', retryAfterMs: 10 * MINUTE }];
    const bot = await home.open({ config: TWO, play });
    await bot.say({ message: 'say one' });
    expect(cooldownsOf(home)['script/first']).toMatchObject({ until: home.time + 10 * MINUTE });
    home.time += 9 * MINUTE;
    await bot.say({ message: 'say two' });
    expect(models.asked).toEqual(['first', 'second', 'second']);
  });

  test.each(['overloaded', 'rate-limited', 'unauthorised', 'exhausted', 'unreachable'] as const)(
    'because it is %s',
    async (failure) => {
      const home = new BotHome();
      const { models, play } = twoModels();
      models.first = [{ fail: 'No', failure }];
      const bot = await home.open({ config: TWO, play });
      expect((await bot.say({ message: 'say hi' })).model).toBe('second');
      expect(home.entryOf().fallbackNoticeReason).toBe(failure);
    },
  );

  test('to a model of another runner', async () => {
    const home = new BotHome();
    const { play } = twoModels();
    const script = makeScriptRunner({ script: { contextWindow: 200_000, answer: asAnswer(play) } });
    // The first one must not keep the second one waiting.
    const hasSuccessor: unknown[] = [];
    const first = {
      ...script,
      start: (request: Parameters<typeof script.start>[0]) => {
        hasSuccessor.push(request.hasSuccessor);
        return script.start(request);
      },
    };
    const other = { ...first, describeModel: (provider: string, model: string) => ({ provider, model }) };
    const bot = await home.open({
      config: { agents: { defaults: { model: { primary: 'script/first', fallbacks: ['other/second'] } } } },
      runners: { script: first, other },
    });
    expect(await bot.say({ message: 'say hi' })).toMatchObject({ provider: 'other', model: 'second' });
    expect(modelsIn(home)).toEqual(['script/first', 'other/second']);
    expect(hasSuccessor).toEqual([true, false]);
    expect(home.linesOf().at(-1)?.message).toMatchObject({ provider: 'other', model: 'second' });
  });

  test('a failure that another model cannot mend stays the answer', async () => {
    const home = new BotHome();
    const { models, play } = twoModels();
    models.first = [{ fail: 'The request is malformed' }];
    const bot = await home.open({ config: TWO, play });
    const { outcome, model, payloads } = await bot.say({ message: 'say hi' });
    expect({ outcome, model, asked: models.asked }).toEqual({
      outcome: 'failed',
      model: 'first',
      asked: ['first'],
    });
    expect(payloads[0]?.text).toMatch(/^⚠️ The model failed: The request is malformed\./);
  });

  test('not where the run asks for one model, and not without a list', async () => {
    const home = new BotHome();
    const { models, play } = twoModels();
    const bot = await home.open({ config: TWO, play });
    const asked = await bot.say({ message: 'say hi', model: 'script/first' });
    expect(asked).toMatchObject({ outcome: 'failed', model: 'first' });
    await bot.close();
    const single = await home.open({ config: { agents: { defaults: { model: 'script/first' } } }, play });
    expect(await single.say({ message: 'say hi' })).toMatchObject({ outcome: 'failed', model: 'first' });
    expect(models.asked).toEqual(['first', 'first']);
    expect(() => cooldownsOf(home)).toThrow(/ENOENT/);
  });

  test('the session’s own model gives way to those of the agent', async () => {
    const home = new BotHome();
    const config: BotConfig = {
      agents: { defaults: { model: { primary: 'script/second', fallbacks: ['script/third'] } } },
    };
    const bot = await home.open({ config, play: twoModels().play });
    await bot.say({ message: 'say hi' });
    await bot.close();
    home.changeEntry(MAIN, { providerOverride: 'script', modelOverride: 'first' });
    const again = await home.open({ config, play: twoModels().play });
    expect(textsOf(await again.say({ message: 'say there' }))).toEqual([`second: there\n\n${NOTICE}`]);
    expect(home.entryOf()).toMatchObject({ modelOverride: 'first', model: 'second' });
  });
});

describe('what the failed model has said and done', () => {
  test('is not asked or done again', async () => {
    const home = new BotHome();
    const { models, play } = twoModels();
    const contexts: string[][] = [];
    models.first = [
      { text: 'I will write it.' },
      { tool: 'write_file', args: { path: 'a.txt', content: 'x' } },
      { text: 'Half a sen' },
      { fail: 'Overloaded', failure: 'overloaded' },
    ];
    const bot = await home.open({
      config: TWO,
      play: (question) =>
        question.model === 'first'
          ? play(question)
          : (async function* () {
              contexts.push((await question.readContext()).map(({ message }) => message.role));
              yield { text: 'It is written.' };
            })(),
    });
    const { payloads } = await bot.say({ message: 'write it' });
    expect(payloads.map(({ text }) => text)).toEqual(['I will write it.', `It is written.\n\n${NOTICE}`]);
    // What was cut off is kept and not given to a model.
    expect(contexts).toEqual([['user', 'assistant', 'toolResult', 'user']]);
    const lines = home.linesOf();
    expect(home.saidIn()).toEqual([
      expect.stringMatching(/^user: .*write it$/s),
      'assistant: I will write it.',
      expect.stringMatching(/^toolResult: /),
      'assistant: Half a sen',
      expect.stringMatching(
        /^user: System: \[.*\] script\/first is overloaded and could not finish\. Go on in its place/,
      ),
      'assistant: It is written.',
    ]);
    expect(lines.find(({ message }) => message?.stopReason === 'error')?.message).toMatchObject({
      model: 'first',
    });
    home.checkTranscripts();
  });

  test('goes on after the process died between the two models', async () => {
    const home = new BotHome();
    home.writeScript('first', {
      turns: [
        { steps: [{ tool: 'list_files' }, { text: 'Hm' }, { fail: 'Overloaded', failure: 'overloaded' }] },
      ],
    });
    home.writeScript('second', { turns: [{ steps: [{ crash: true }] }] });
    const killed = await runOneMessage(home.stateDir, TWO, 'm1', 'list them');
    expect(killed.signal).toBe('SIGKILL');
    home.writeScript('second', { turns: [{ steps: [{ text: 'Here they are.' }] }] });
    const chat = new Chat({ name: 'chat' });
    const bot = await home.open({ config: TWO, channels: [chat.channel] });
    await bot.idle();
    expect(chat.shown).toEqual([`ada: Here they are.\n\n${NOTICE}`]);
    home.checkTranscripts();
  });
});

describe('all models fail', () => {
  test('one sentence names each, with its reason and what to do', async () => {
    const home = new BotHome();
    const { models, play } = twoModels();
    models.second = [{ fail: '401 invalid key', failure: 'unauthorised' }];
    const bot = await home.open({ config: TWO, play });
    expect(textsOf(await bot.say({ message: 'say hi' }))).toEqual([
      '⚠️ No model answered: script/first is overloaded (Overloaded); script/second has no valid key (401 invalid key). Your message is kept in the conversation; send another one to try again in a minute.',
    ]);
    // All rest now, so all are tried again.
    models.second = undefined;
    expect(textsOf(await bot.say({ message: 'say again' }))).toEqual([`second: again\n\n${NOTICE}`]);
    expect(models.asked).toEqual(['first', 'second', 'first', 'second']);
  });

  test('those that rest are named too', async () => {
    const home = new BotHome();
    const { models, play } = twoModels();
    const bot = await home.open({ config: TWO, play });
    await bot.say({ message: 'say hi' });
    models.second = [{ fail: 'No route', failure: 'unreachable' }];
    const { error, payloads } = await bot.say({ message: 'say ho' });
    expect(error?.message).toBe(
      'No model answered: script/first is overloaded; script/second cannot be reached (No route).',
    );
    expect(payloads).toHaveLength(1);
    expect(models.asked).toEqual(['first', 'second', 'second']);
  });
});

test('a silent answer tells nothing, and the next one does', async () => {
  const home = new BotHome();
  const { models, play } = twoModels();
  models.second = [{ text: 'NO_REPLY' }];
  const bot = await home.open({ config: TWO, play });
  expect(await bot.say({ message: 'hush' })).toMatchObject({ outcome: 'silent', payloads: [] });
  models.second = undefined;
  expect(textsOf(await bot.say({ message: 'say hi' }))).toEqual([`second: hi\n\n${NOTICE}`]);
});

test('a fallback that does not exist is passed over with a warning', async () => {
  const home = new BotHome();
  home.writeScript('first', { turns: [{ steps: [{ fail: 'Overloaded', failure: 'overloaded' }] }] });
  home.writeScript('second', { turns: [{ steps: [{ text: 'Here.' }] }] });
  const fallbacks = ['script/none', 'nobody/x', 'script/second'];
  const config: BotConfig = { agents: { defaults: { model: { primary: 'script/first', fallbacks } } } };
  const bot = await home.open({ config });
  const warnings: string[] = [];
  const { model } = await bot.say({
    message: 'hi',
    onEvent: (event) => event.type === 'warning' && warnings.push(event.message),
  });
  expect(model).toBe('second');
  expect(warnings).toEqual([
    'There is no model script/none: it cannot take over.',
    'There is no model nobody/x: it cannot take over.',
  ]);
});

test('cooldowns that cannot be kept stop nothing', async () => {
  const home = new BotHome();
  const { play } = twoModels();
  const bot = await home.open({ config: TWO, play });
  mkdirSync(join(home.stateDir, 'model-cooldowns.json'));
  const events: string[] = [];
  const { model } = await bot.say({ message: 'say hi', onEvent: ({ type }) => events.push(type) });
  expect(model).toBe('second');
  expect(events.filter((type) => type === 'warning')).toHaveLength(2);
  expect(events).toContain('gave-way');
});

/** No conversation is compacted before its agent could save what matters. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import {
  call,
  type MessageReply,
  type MessagesRequest,
  say,
} from '../../../../test/imitations/messages-format.ts';
import { counted, HUNT } from '../../../../test/setup/hunt.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { reserveOf } from '../../src/config/compaction-reserve.ts';
import { tokensOf } from '../../src/runners/script/messages.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import { asAnswer, BotHome, Chat, type Line, type Play } from './bot-home.ts';

const isFlush = ({ customType }: Line) => customType === 'openbot.memory-flush';

/** `flush`, `compaction`, and the role of each message. */
const courseOf = (home: BotHome): string[] =>
  home.linesOf().flatMap((line) => {
    if (isFlush(line)) return ['flush'];
    if (line.type === 'compaction') return ['compaction'];
    return line.message === undefined ? [] : [line.message.role];
  });

/** Compactions without a flush since the one before. */
function countUnprepared(home: BotHome): number {
  let isPrepared = false;
  let count = 0;
  for (const step of courseOf(home)) {
    if (step === 'compaction' && !isPrepared) count++;
    if (step === 'flush' || step === 'compaction') isPrepared = step === 'flush';
  }
  return count;
}

/** Flushes beyond one for each compaction, without the second try of one that failed. */
function countSurplusFlushes(home: BotHome): number {
  const flushes = home.linesOf().filter((line) => isFlush(line) && line.data?.attempt === 1).length;
  return Math.max(0, flushes - courseOf(home).filter((step) => step === 'compaction').length - 1);
}

/** Compactions with no message since the one before, or that kept more than so many tokens in more than one message. */
function listUseless(home: BotHome, mostKept: number): string[] {
  const lines = home.linesOf();
  let since = 1;
  return lines.flatMap((line, at) => {
    if (line.message !== undefined) since++;
    if (line.type !== 'compaction') return [];
    const first = lines.findIndex(({ id }) => id === line.firstKeptEntryId);
    const kept = lines.slice(first, at).flatMap(({ message }) => (message === undefined ? [] : [message]));
    const size = kept.reduce((sum, message) => sum + tokensOf(message), 0);
    const isLong = size > mostKept && kept.filter(({ role }) => role !== 'toolResult').length > 1;
    const faults = [
      ...(since === 0 ? ['nothing new'] : []),
      ...(isLong ? [`${size} of ${mostKept} kept`] : []),
    ];
    since = 0;
    return faults;
  });
}

const openScripted = (home: BotHome, contextWindow: number, config: BotConfig, play: Play) =>
  home.open({
    config,
    runners: { script: makeScriptRunner({ script: { contextWindow, answer: asAnswer(play) } }) },
  });

type Compaction = NonNullable<NonNullable<NonNullable<BotConfig['agents']>['defaults']>['compaction']>;
const withCompaction = (compaction: Compaction): BotConfig => ({ agents: { defaults: { compaction } } });

test('a window of 100,000, a reserve of 5,000 and a threshold of 4,000', async () => {
  const home = new BotHome();
  const sizes = [90_999, 91_000, 94_900, 96_000];
  const config = withCompaction({ reserveTokensFloor: 5000, memoryFlush: { softThresholdTokens: 4000 } });
  const bot = await openScripted(home, 100_000, config, ({ prompt }) =>
    prompt.includes('Pre-compaction')
      ? [{ usage: { input: 92_000 } }, { text: 'NO_REPLY' }]
      : [{ usage: { input: sizes.shift()! } }, { text: 'ok' }],
  );
  const turn = ['user', 'assistant'];
  await bot.say({ message: 'one' });
  await bot.say({ message: 'two' });
  expect(courseOf(home)).toEqual([...turn, ...turn]);
  await bot.say({ message: 'three' });
  expect(courseOf(home)).toEqual([...turn, ...turn, 'flush', ...turn, ...turn]);
  await bot.say({ message: 'four' });
  expect(courseOf(home)).toEqual([...turn, ...turn, 'flush', ...turn, ...turn, ...turn, 'compaction']);
});

test('a run that comes to a compaction saves first, and then does what it was asked', async () => {
  const home = new BotHome();
  const bot = await openScripted(home, 20_000, {}, ({ prompt }) => {
    if (prompt.includes('Pre-compaction')) return [{ text: 'Saved it all.' }];
    if (prompt.includes('Go on with what you were asked')) return [{ text: 'It is written.' }];
    if (prompt !== 'write it') return [{ text: 'x'.repeat(4000) }];
    return [{ tool: 'write_file', args: { path: 'a.txt', content: 'y'.repeat(72_000) } }, { text: 'Never.' }];
  });
  await bot.say({ message: 'hello' });
  const { payloads, error } = await bot.say({ message: 'write it' });
  expect(error).toBeUndefined();
  expect(payloads.map(({ text }) => text)).toEqual(['It is written.']);
  expect(courseOf(home)).toEqual(
    'user assistant user assistant toolResult flush user assistant user assistant compaction'.split(' '),
  );
  expect(home.entryOf()).toMatchObject({ compactionCount: 1, memoryFlushCompactionCount: 0 });
  expect((await bot.say({ message: 'and now?' })).error).toBeUndefined();
  home.checkTranscripts();
});

test.each(['a person', 'the end of the process'])(
  '%s ends a flush in a run, and nothing is lost',
  async (who) => {
    const home = new BotHome();
    const chat = new Chat();
    const saving = Promise.withResolvers<void>();
    const config: BotConfig = { channels: { memory: { allowFrom: ['ada'] } } };
    const play: Play = ({ prompt }) => {
      if (prompt.includes('Pre-compaction')) {
        saving.resolve();
        return [{ tool: 'list_files' }, { stall: true }];
      }
      if (!prompt.endsWith('write it')) return [{ text: `x ${prompt.slice(-200)}` }];
      return [
        { tool: 'write_file', args: { path: 'a.txt', content: 'y'.repeat(72_000) } },
        { text: 'Never.' },
      ];
    };
    const script = makeScriptRunner({ script: { contextWindow: 20_000, answer: asAnswer(play) } });
    const bot = await home.open({ config, channels: [chat.channel], runners: { script } });
    await chat.write('ada', 'hello');
    await bot.idle();
    await chat.write('ada', 'write it');
    await saving.promise;
    if (who === 'a person') {
      await chat.write('ada', '/stop');
      await bot.idle();
      await chat.write('ada', 'and now?');
      await bot.idle();
      expect(chat.shown.at(-1)).toMatch(/^ada: x .*and now\?$/s);
    }
    await bot.close();
    const later = chat.again();
    const next = await home.open({ config, channels: [later.channel], runners: { script } });
    await next.idle();
    await next.close();
    if (who !== 'a person')
      expect(later.shown.at(-1)).toMatch(/^ada: x .*Answer the last message before the memory flush; /s);
    expect(countUnprepared(home)).toBe(0);
    home.checkTranscripts();
  },
);

test('a message that would bring the conversation there is answered behind the flush', async () => {
  const home = new BotHome();
  const bot = await openScripted(home, 20_000, {}, ({ prompt }) =>
    prompt.includes('Pre-compaction') ? [{ text: 'NO_REPLY' }] : [{ text: 'x'.repeat(40_000) }],
  );
  await bot.say({ message: 'hello' });
  await bot.say({ message: 'y'.repeat(36_000) });
  expect(courseOf(home).slice(0, 6)).toEqual(['user', 'assistant', 'flush', 'user', 'assistant', 'user']);
  expect(countUnprepared(home)).toBe(0);
});

test.each<[Compaction, number]>([
  [{}, 1],
  [{ memoryFlush: { enabled: false } }, 0],
])('with %j a conversation that overflows is compacted behind %d tries', async (compaction, tries) => {
  const home = new BotHome();
  const bot = await openScripted(home, 20_000, withCompaction(compaction), ({ prompt }) => {
    if (prompt.includes('Pre-compaction')) return [{ overflow: true }];
    return [{ text: prompt === 'long' ? 'x'.repeat(90_000) : 'short' }];
  });
  await bot.say({ message: 'hello' });
  await bot.say({ message: 'long' });
  const { error } = await bot.say({ message: 'and now?' });
  expect(error).toBeUndefined();
  const course = courseOf(home);
  expect(course).toContain('compaction');
  expect(
    course.slice(0, course.indexOf('compaction')).filter((step) => step === 'flush').length,
  ).toBeGreaterThanOrEqual(tries);
  expect(course.filter((step) => step === 'flush').length > 0).toBe(tries > 0);
});

/** The call of the third message brings the conversation from below the flush over the compaction. */
function replyTo({ messages, tools = [] }: MessagesRequest): MessageReply {
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
  if (tools.length === 0 || asked.includes('Do NOT call any tools'))
    return { blocks: [say('<summary>They count.</summary>')] };
  if (asked.includes('Pre-compaction')) return { blocks: [say('NO_REPLY')], usage: { input_tokens: 47_000 } };
  if (asked.includes('Go on with what you were asked'))
    return { blocks: [say('There is nothing.')], usage: { input_tokens: 9000 } };
  if (!asked.includes('three'))
    return { blocks: [say('word '.repeat(6000))], usage: { input_tokens: 10_000 } };
  const name = tools.find((tool) => tool.name.endsWith('list_files'))!.name;
  return { blocks: [call('toolu_1', name, {})], usage: { input_tokens: 46_000 } };
}

const THOUSAND = 'word '.repeat(800);
/** As many tokens as were sent. */
const honestly = ({ system, tools = [], messages }: MessagesRequest): MessageReply => {
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
  const isSummary = tools.length === 0 || asked.includes('Do NOT call any tools');
  const text = asked.includes('Pre-compaction') ? 'NO_REPLY' : THOUSAND;
  const sent = Math.ceil(JSON.stringify([system, tools, messages]).length / 4);
  return {
    blocks: [say(isSummary ? '<summary>They count.</summary>' : text)],
    usage: { input_tokens: sent, output_tokens: 250 },
  };
};

const withModel = (api: MessagesApi, contextWindow: number, reserveTokensFloor?: number): BotConfig => {
  const models = [{ id: 'small', contextWindow }];
  return {
    agents: { defaults: { model: 'far/small', compaction: { reserveTokensFloor } } },
    models: { providers: { far: { baseUrl: api.url, apiKey: 'key', api: 'anthropic-messages', models } } },
  };
};

/** The messages of the person, as numbers, that cost a compaction. */
async function listCompacted(config: BotConfig, env: NodeJS.ProcessEnv, messages: number): Promise<number[]> {
  const home = new BotHome();
  const bot = await home.open({ config, env });
  const compacted: number[] = [];
  for (let n = 1, before = 0; n <= messages; n++) {
    expect((await bot.say({ message: `${n} ${THOUSAND}` })).error).toBeUndefined();
    const { compactionCount = 0 } = home.entryOf();
    if (compactionCount > before) compacted.push(n);
    before = compactionCount;
  }
  expect(countUnprepared(home)).toBe(0);
  expect(countSurplusFlushes(home)).toBe(0);
  await bot.close();
  return compacted;
}

/** With the prompt and the tools, the third message is longer than the window. */
async function expectRefusal(
  api: MessagesApi,
  window: number,
  config: BotConfig,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  api.setReplies((request) => {
    const { blocks, usage } = honestly(request);
    const tokens = usage!.input_tokens!;
    if (tokens <= window) return { blocks, usage };
    const message = `prompt is too long: ${tokens} tokens > ${window} maximum`;
    return { status: 400, type: 'invalid_request_error', message };
  });
  const home = new BotHome();
  const bot = await home.open({ config, env });
  for (const n of [1, 2]) expect((await bot.say({ message: `${n} ${THOUSAND}` })).error).toBeUndefined();
  const { error } = await bot.say({ message: `3 ${'word '.repeat((window - 1000) * 0.8)}` });
  expect(error?.message).toContain('The conversation is too long');
  // Behind it are neither a flush nor a message that has the run go on.
  expect(home.saidIn().findLast((said) => said.startsWith('user: '))!.length).toBeGreaterThan(window);
  await bot.close();
}

async function expectFlushInRun(api: MessagesApi, config: BotConfig, env: NodeJS.ProcessEnv): Promise<void> {
  const home = new BotHome();
  const bot = await home.open({ config, env });
  for (const message of ['one', 'two']) await bot.say({ message });
  const { payloads, error } = await bot.say({ message: 'three' });
  expect(error).toBeUndefined();
  expect(payloads.map(({ text }) => text)).toEqual(['There is nothing.']);
  expect(courseOf(home).slice(4)).toEqual(
    'user assistant toolResult flush user assistant user compaction assistant'.split(' '),
  );
  expect(home.entryOf()).toMatchObject({ compactionCount: 1, memoryFlushCompactionCount: 0 });
  expect((await bot.say({ message: 'four' })).error).toBeUndefined();
  expect(api.faults).toEqual([]);
  await bot.close();
}

test('with pi, a run that comes to a compaction saves first', async () => {
  const api = await startMessagesApi({ replies: replyTo });
  await expectFlushInRun(api, withModel(api, 50_000), {});
  await api.close();
});

test.each([
  [32_000, 20_000],
  [32_000, 24_000],
  [100_000, 85_000],
  [16_000, 8000],
  [16_000, undefined],
])(
  'with pi, a window of %d and a reserve of %j several messages find room behind a compaction',
  async (window, reserve) => {
    const api = await startMessagesApi({ replies: honestly });
    const compacted = await listCompacted(withModel(api, window, reserve), {}, 14);
    expect(compacted.length).toBeGreaterThan(0);
    for (const [n, message] of compacted.slice(1).entries())
      expect(message - compacted[n]!).toBeGreaterThan(2);
    await api.close();
  },
);

test('with pi, a message that is too long is not summarised unread', async () => {
  const api = await startMessagesApi({ replies: honestly });
  await expectRefusal(api, 32_000, withModel(api, 32_000), {});
  await api.close();
});

describe.skipIf('missing' in findClaudeBinary())('with Claude Code', () => {
  let claude: ClaudeBench;
  beforeAll(async () => {
    claude = await ClaudeBench.open();
  });
  afterAll(() => claude?.close());

  test('a run that comes to a compaction saves first', { timeout: 60_000 }, async () => {
    claude.api.setReplies(replyTo);
    const config = { agents: { defaults: { model: 'claude/claude-sonnet-4-5', contextTokens: 50_000 } } };
    await expectFlushInRun(claude.api, config, claude.home.env);
  });

  test('a message that is too long is not summarised unread', { timeout: 60_000 }, async () => {
    const config = { agents: { defaults: { model: 'claude/claude-sonnet-4-5', contextTokens: 50_000 } } };
    await expectRefusal(claude.api, 50_000, config, claude.home.env);
  });

  test('its own tools leave room for several messages', { timeout: 60_000 }, async () => {
    claude.api.setReplies(honestly);
    const defaults = {
      model: 'claude/claude-sonnet-4-5',
      contextTokens: 100_000,
      claude: { tools: 'all' as const },
      compaction: { reserveTokensFloor: 92_000 },
    };
    expect(await listCompacted({ agents: { defaults } }, claude.home.env, 4)).toEqual([]);
  });
});

test('whatever the settings and the sizes, no compaction comes without a flush before it', HUNT, async () => {
  const figure = (window: number) =>
    fc.option(
      fc.oneof(
        fc.constantFrom(0, 1, window - 1, window, 2 * window),
        fc.integer({ min: 0, max: Math.floor(window / 2) }),
      ),
      { nil: undefined },
    );
  const size = fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: 0, max: 0.3, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: 0.3, max: 1.1, noNaN: true }) },
  );
  const turn = fc.record({ message: size, calls: fc.array(size, { maxLength: 3 }), answer: size });
  const plan = fc.integer({ min: 400, max: 8000 }).chain((window) =>
    fc.record({
      window: fc.constant(window),
      reserveTokensFloor: figure(window),
      softThresholdTokens: figure(window),
      flush: size,
      turns: fc.array(turn, { minLength: 3, maxLength: 12 }),
    }),
  );
  let compactions = 0;
  await fc.assert(
    fc.asyncProperty(plan, async ({ window, turns, flush, reserveTokensFloor, softThresholdTokens }) => {
      const home = new BotHome();
      const text = (share: number) => 'word '.repeat(Math.ceil((share * window * 4) / 5));
      let now = turns[0]!;
      const config = withCompaction({ reserveTokensFloor, memoryFlush: { softThresholdTokens } });
      const bot = await openScripted(home, window, config, ({ prompt }) => {
        if (prompt.includes('Pre-compaction')) return [{ text: text(flush / 10) || 'NO_REPLY' }];
        if (prompt.includes('Go on with what you were asked')) return [{ text: 'Done.' }];
        const calls = now.calls.map((share) => ({
          tool: 'write_file',
          args: { path: 'a.txt', content: text(share) },
        }));
        return [...calls, { text: `Answer ${text(now.answer)}` }];
      });
      for (const [n, turn] of turns.entries()) {
        now = turn;
        const { payloads } = await bot.say({ message: `${n} ${text(turn.message)}` });
        expect(payloads.map((payload) => payload.text).join('')).not.toBe('');
      }
      await bot.close();
      const made = courseOf(home).filter((step) => step === 'compaction').length;
      compactions += made;
      expect(countUnprepared(home)).toBe(0);
      expect(countSurplusFlushes(home)).toBe(0);
      const compactsAt = window - reserveOf(window, reserveTokensFloor);
      expect(listUseless(home, Math.floor(compactsAt / 4))).toEqual([]);
      expect(home.entryOf().compactionCount ?? 0).toBe(made);
      home.checkTranscripts();
    }),
    { ...counted({ gate: 25, torture: 125 }), endOnFailure: true },
  );
  expect(compactions).toBeGreaterThan(10);
});

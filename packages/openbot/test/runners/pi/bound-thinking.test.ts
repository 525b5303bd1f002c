/** Models that bind thinking take every request, and leave nothing out of it, whatever happened in the conversation before. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { tokensOf } from '../../../../../test/imitations/loopback-server.ts';
import { type MessagesApi, startMessagesApi } from '../../../../../test/imitations/messages-api.ts';
import {
  apiErrors,
  blocksOf,
  call,
  type MessagesRequest,
  type Reply,
  redact,
  say,
  think,
} from '../../../../../test/imitations/messages-format.ts';
import { commonPrefix } from '../../../../../test/imitations/thinking-binding.ts';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { assistant, user } from '../../../../sessions/test/setup/drafts.ts';
import type { ProviderSettings } from '../../../src/config/bot-config.ts';
import type { ModelChoice, RunEvent, RunRequest } from '../../../src/runners/contract.ts';
import { openPiRunner } from '../../../src/runners/pi/runner.ts';
import { recoverFromOverflow } from '../../../src/runners/recover-from-overflow.ts';
import { assertTranscriptHolds, collect, makeSession, type TestSession } from '../session.ts';
import { KEY } from './scripted-provider.ts';

const OPUS = { provider: 'anthropic', model: 'claude-opus-5-5', contextWindow: 100_000 };
const SONNET = { provider: 'far', model: 'claude-sonnet-5-5', contextWindow: 100_000 };
const OLDER = { provider: 'far', model: 'claude-sonnet-4-5', contextWindow: 100_000 };

let api: MessagesApi;
let session: TestSession;
let systemPrompt: string;

beforeEach(async () => {
  await startApi();
  session = await makeSession(OPUS);
  systemPrompt = 'You help.';
});

async function startApi(window?: number) {
  const started = await startMessagesApi({ key: KEY, replies: answer, window });
  afterTest(() => started.close());
  api = started;
}

/** Thinks in each message, and uses tools as often as the person's words say: `tools 2`. */
function answer({ system, messages, tools }: MessagesRequest, count: number): Reply {
  if (tools === undefined && JSON.stringify(messages).includes('summar'))
    return { blocks: [say('They talked.')] };
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && blocksOf({ role, content }).some(({ type }) => type === 'text'),
  );
  const rounds = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  const wanted = Number(/tools (\d)/.exec(JSON.stringify(messages[asked]))?.[1] ?? 0);
  const thinking = [think(`thought ${count}`), redact(`secret ${count}`), think(''), undefined][count % 4];
  const blocks = thinking === undefined ? [] : [thinking];
  const usage = { input_tokens: tokensOf([system, messages]) };
  return rounds < wanted
    ? { blocks: [...blocks, call(`toolu_${count}`, 'read_file', { path: 'large.txt' })], usage }
    : { blocks: [...blocks, say(`answer ${count} ${'word '.repeat(40)}`)], usage };
}

async function openRunner(dropStaleThinking?: boolean) {
  const far: ProviderSettings = {
    baseUrl: api.url,
    apiKey: KEY,
    api: 'anthropic-messages',
    models: [
      { id: SONNET.model, reasoning: true, input: ['text', 'image'] },
      { id: OLDER.model, reasoning: true },
    ],
    dropStaleThinking,
  };
  const providers = { anthropic: { baseUrl: api.url, apiKey: KEY, dropStaleThinking }, far };
  const runner = await openPiRunner({ stateDir: '/nowhere', config: { models: { providers } }, env: {} });
  return recoverFromOverflow(runner, session.transcripts);
}

async function ask(
  prompt: string,
  model: ModelChoice,
  more: Partial<RunRequest> = {},
  onEvent?: (event: RunEvent) => unknown,
) {
  const runner = await openRunner();
  const request = await session.ask(prompt, {
    model,
    systemPrompt: { text: systemPrompt, report: {} as never },
    ...more,
  });
  const events = await collect(runner.start(request), onEvent);
  await assertTranscriptHolds(session);
  return events.at(-1)!;
}

async function compact(model: ModelChoice) {
  const request = await session.ask('compact', { model, prompt: '' });
  return (await collect((await openRunner()).compact(request))).at(-1)!;
}

const picture = () => ({
  type: 'message' as const,
  message: {
    role: 'user',
    content: [{ type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' }],
    timestamp: 1,
  } as never,
});

async function changePrompt() {
  systemPrompt += ' It changed.';
  await session.append([{ type: 'custom', customType: 'openbot.prefix', data: {} }]);
}

const thinkingIn = ({ messages }: MessagesRequest) =>
  messages.flatMap((message) => blocksOf(message).filter(({ type }) => type.endsWith('thinking'))).length;
const imagesIn = ({ messages }: MessagesRequest) =>
  messages.flatMap((message) => blocksOf(message).filter(({ type }) => type === 'image')).length;

function expectNothingLost() {
  expect(api.faults).toEqual([]);
  expect(api.dropped).toEqual([]);
}

describe.each([
  ['that pi knows', OPUS],
  ['described in the configuration', SONNET],
])('a model %s', (_, model) => {
  it('is sent no thinking of what a compaction kept, and all that comes after it', async () => {
    for (let turn = 0; turn < 5; turn++) await ask(`tools 2 in turn ${turn}`, model);
    const before = session.lines().length;
    expect(await compact(model)).toMatchObject({ reason: 'stop' });
    const whole = session.lines();
    api.forget();
    for (let turn = 0; turn < 3; turn++)
      expect(await ask('tools 2 more', model)).toMatchObject({ reason: 'stop' });
    expectNothingLost();
    expect(thinkingIn(api.conversations[0]!)).toBe(0);
    expect(thinkingIn(api.conversations.at(-1)!)).toBeGreaterThan(4);
    // The lines stay as they are.
    expect(before).toBeGreaterThan(20);
    expect(session.lines().slice(0, whole.length)).toEqual(whole);
  });

  it('is sent no thinking of what came before another prompt', async () => {
    for (let turn = 0; turn < 3; turn++) await ask(`tools 1 in turn ${turn}`, model);
    await changePrompt();
    api.forget();
    expect(await ask('tools 2 more', model)).toMatchObject({ reason: 'stop' });
    expect(await ask('and now?', model)).toMatchObject({ reason: 'stop' });
    expectNothingLost();
    expect(thinkingIn(api.conversations[0]!)).toBe(0);
    expect(thinkingIn(api.conversations.at(-1)!)).toBeGreaterThan(1);
  });

  it('loses half of the images at once where they are too many', async () => {
    const numbers: number[] = [];
    await ask('tools 2 before', model);
    for (let turn = 0; turn < 32; turn++) {
      await session.append([picture()]);
      expect(await ask('see', model)).toMatchObject({ reason: 'stop' });
      numbers.push(imagesIn(api.conversations.at(-1)!));
    }
    expectNothingLost();
    expect(Math.max(...numbers)).toBe(20);
    expect(numbers.slice(19, 32)).toEqual([20, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 10]);
    const requests = api.conversations;
    const breaks = requests.slice(1).filter((next, at) => commonPrefix(requests[at]!, next) < 1);
    expect(breaks).toHaveLength(2);
    // What was thought before the first image is still sent.
    expect(thinkingIn(requests.at(-1)!)).toBeGreaterThan(2);
  });

  it('goes on without images that it refused', async () => {
    const replies = (request: MessagesRequest, count: number) =>
      imagesIn(request) > 0 && JSON.stringify(request.messages).includes('refuse')
        ? apiErrors.invalidRequest('messages.3.content.0.image: Could not process image')
        : answer(request, count);
    api.setReplies(replies);
    await ask('tools 1 before', model);
    await session.append([picture()]);
    await ask('tools 2 and see', model);
    await session.append([picture()]);
    expect(await ask('tools 2 refuse', model)).toMatchObject({ reason: 'stop' });
    api.forget();
    expect(await ask('tools 1 and now', model)).toMatchObject({ reason: 'stop' });
    expect(api.conversations).toHaveLength(2);
    expect(imagesIn(api.conversations[0]!)).toBe(0);
    expectNothingLost();
  });

  it('is sent nothing of a run that was stopped while it thought', async () => {
    await ask('tools 1', model);
    api.setReplies([
      { blocks: [think('half'), say('I was')], breaksOff: 'stall' },
      ...[0, 1, 2, 3].map((count) => ({ blocks: [think(`after ${count}`), say('Yes.')] })),
    ]);
    const controller = new AbortController();
    await ask('stop', model, { signal: controller.signal }, ({ type }) => {
      if (type === 'text') controller.abort();
    });
    for (let turn = 0; turn < 3; turn++)
      expect(await ask('and now?', model)).toMatchObject({ reason: 'stop' });
    expectNothingLost();
  });

  it('goes on after a run that was cleaned and compacted in its middle', async () => {
    // The provider has less room than the configuration says.
    await startApi(9000);
    writeFileSync(join(session.workspaceDir, 'large.txt'), 'large '.repeat(1500));
    const steps = new Set<string>();
    for (let turn = 0; turn < 7; turn++) {
      const prompt = `tools 2 in turn ${turn} ${turn > 3 ? 'word '.repeat(2500) : ''}`;
      const end = await ask(prompt, model, {}, ({ type }) => steps.add(type));
      expect(end).toMatchObject({ reason: 'stop' });
      expectNothingLost();
    }
    expect([...steps]).toEqual(expect.arrayContaining(['cleaned', 'compaction']));
  });

  it('has its thinking back after other models answered', async () => {
    const other = model === OPUS ? SONNET : OPUS;
    await ask('tools 2', model);
    await ask('tools 2', other);
    await ask('tools 2', model);
    await session.append([user('a message'), assistant({ type: 'text', text: 'Of another program.' })]);
    await ask('tools 2', other);
    await ask('tools 2', model);
    expectNothingLost();
    expect(thinkingIn(api.conversations.at(-1)!)).toBeGreaterThan(5);
  });
});

/** What a request says of thinking whose conversation has changed. */
function bindingOf(at: number) {
  const { body, headers } = api.requests.at(at)!;
  const { thinking } = body as { thinking: { type: string; block_binding?: unknown } };
  const asks = String(headers['anthropic-beta']).includes('thinking-binding-controls-2026-08-01');
  return { type: thinking.type, binding: thinking.block_binding, asks };
}

describe.each([
  ['that pi knows', OPUS],
  ['described in the configuration', SONNET],
])('where the conversation changed all the same, a model %s', (_, model) => {
  const lose = async () => {
    await ask('tools 2', model);
    // Nothing says so in the transcript.
    systemPrompt = 'Another prompt.';
  };

  it('leaves thinking out and says which', async () => {
    await lose();
    expect(bindingOf(-1)).toEqual({
      type: 'adaptive',
      binding: { prefix_mismatch_behavior: 'drop_block' },
      asks: true,
    });
    const events: RunEvent[] = [];
    expect(await ask('and now?', model, {}, (event) => events.push(event))).toMatchObject({ reason: 'stop' });
    const paths = api.dropped.map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(1);
    expect(events.filter(({ type }) => type === 'thinking-dropped')).toEqual([
      { type: 'thinking-dropped', by: `${model.provider}/${model.model}`, paths },
    ]);
  });

  it('is not asked to where the configuration says so', async () => {
    await lose();
    const runner = await openRunner(false);
    const request = await session.ask('and now?', {
      model,
      systemPrompt: { text: 'x', report: {} as never },
    });
    expect((await collect(runner.start(request))).at(-1)).toMatchObject({
      reason: 'error',
      hint: undefined,
      error: expect.stringContaining('bound to a different conversation'),
    });
    expect(bindingOf(-1)).toEqual({ type: 'adaptive', binding: undefined, asks: false });
  });
});

it('says what to set where an address does not take the field', async () => {
  const message = 'thinking.adaptive.block_binding: Extra inputs are not permitted';
  api.setReplies(() => apiErrors.invalidRequest(message));
  expect(await ask('hello', SONNET)).toMatchObject({
    hint: 'Set models.providers.far.dropStaleThinking to false.',
  });
});

it('asks nothing new of an older model', async () => {
  await ask('tools 1', OLDER);
  expect(bindingOf(-1)).toEqual({ type: 'enabled', binding: undefined, asks: false });
});

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constant('ask' as const), tools: fc.nat(3), far: fc.boolean() }),
  },
  fc.record({ is: fc.constant('picture' as const), count: fc.integer({ min: 1, max: 15 }) }),
  fc.record({ is: fc.constantFrom('compact', 'prompt', 'stop', 'steer', 'foreign', 'clean', 'restore') }),
);

/** Tokens. Some conversations are compacted in the middle of a run. */
const windows = fc.constantFrom(4000, 100_000);

it('whatever happens in a conversation', HUNT, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 12 }),
      windows,
      async (steps, contextWindow) => {
        session = await makeSession(OPUS);
        const opus = { ...OPUS, contextWindow };
        const sonnet = { ...SONNET, contextWindow };
        api.forget();
        api.setReplies(answer);
        await ask('tools 1', OPUS);
        await ask('tools 1', sonnet);
        const { transcript } = await session.ask('and');
        for (const one of [...steps, ...steps]) {
          if (one.is === 'picture') await session.append(Array.from({ length: one.count }, () => picture()));
          else if (one.is === 'prompt') await changePrompt();
          else if (one.is === 'compact') await compact(opus);
          else if (one.is === 'clean') await session.transcripts.clean(transcript, 'hard');
          else if (one.is === 'restore') await session.transcripts.restore(transcript);
          else if (one.is === 'foreign')
            await session.append([user('there'), assistant({ type: 'text', text: 'Of another program.' })]);
          else if (one.is === 'stop') {
            const signal = AbortSignal.abort();
            await ask('tools 2', opus, { signal });
          } else if (one.is === 'steer') {
            const runner = await openRunner();
            const run = runner.start(
              await session.ask('tools 2', {
                model: opus,
                systemPrompt: { text: systemPrompt, report: {} as never },
              }),
            );
            const mark = { type: 'custom', customType: 'openbot.joined', data: {} } as const;
            let isSteered = false;
            await collect(run, ({ type }) => {
              if (type === 'tool-call' && !isSteered)
                isSteered = run.steer({ messageId: 'm', text: 'and', mark });
            });
          } else if ('tools' in one)
            expect(await ask(`tools ${one.tools}`, one.far ? sonnet : opus)).toMatchObject({
              reason: 'stop',
            });
          expectNothingLost();
        }
      },
    ),
    cases({ gate: 8, torture: 60 }),
  );
});

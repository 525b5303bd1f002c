import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type MessagesApi,
  type MessagesApiOptions,
  startMessagesApi,
} from '../../../../test/imitations/messages-api.ts';
import { apiErrors, say, think } from '../../../../test/imitations/messages-format.ts';
import { makeAnthropicModel, resolveModelName } from '../../src/select/anthropic-model.ts';
import { assessTaskRelevance } from '../../src/select/assess-relevance.ts';
import { resolveSelectionConfig } from '../../src/select/selection-config.ts';
import { makeSession } from '../project-status/discovered.ts';

let api: MessagesApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});
async function start(replies: MessagesApiOptions['replies']) {
  api = await startMessagesApi({ replies });
  return { api, ask: makeAnthropicModel({ apiKey: 'test-key', baseUrl: api.url }) };
}
const question = {
  model: 'claude-haiku',
  system: 'Rate.',
  prompt: 'What?',
  maxTokens: 321,
  signal: new AbortController().signal,
};
/** With time enough to load the SDK on any machine. */
const assess = (askModel: ReturnType<typeof makeAnthropicModel>, settings = { relevanceTimeoutMs: 60_000 }) =>
  assessTaskRelevance('Repair the login', [makeSession()], {
    askModel,
    config: resolveSelectionConfig(settings),
  });

describe("Anthropic's model", () => {
  it('is asked once for each question, by its current name and with the key', async () => {
    const { api, ask } = await start([
      { blocks: [think('hm'), say('one, '), say('two')] },
      { blocks: [say('again')] },
    ]);
    expect(await ask(question)).toBe('one, two');
    expect(await ask({ ...question, model: 'claude-something-else' })).toBe('again');
    expect(api.conversations).toMatchObject([
      {
        model: 'claude-haiku-4-5',
        max_tokens: 321,
        system: 'Rate.',
        messages: [{ role: 'user', content: 'What?' }],
      },
      { model: 'claude-something-else' },
    ]);
    // The SDK sends it as a bearer token since 1.0, and in a header of its own before.
    const { 'x-api-key': key, authorization } = api.requests[0]!.headers;
    expect([key, authorization?.replace(/^Bearer /, '')]).toContain('test-key');
  });

  it('gives the relevance of sessions', async () => {
    const { ask } = await start([
      { blocks: [say('{"sessions":[{"id":1,"score":0.75,"why":"same page"}]}')] },
    ]);
    expect(await assess(ask)).toEqual({ relevance: [{ score: 0.75, reasoning: 'same page', by: 'model' }] });
  });

  it.each([apiErrors.overloaded(), apiErrors.rateLimit(), apiErrors.authentication()])(
    'is not asked again after an error: $status',
    async (reply) => {
      // Without the header that tells a client not to repeat it.
      const { headers: _, ...error } = reply;
      const { api, ask } = await start(() => error);
      const { relevance, fallback } = await assess(ask);
      expect(relevance[0]?.by).toBe('words');
      expect(fallback).toContain(`: ${error.status} `);
      expect(fallback).not.toContain('{');
      expect(fallback).not.toContain('test-key');
      expect(api.conversations).toHaveLength(1);
    },
  );

  it('is not waited for longer than it may take', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { ask } = await start(async () => {
      await released;
      return { blocks: [say('late')] };
    });
    const { relevance, fallback } = await assess(ask, { relevanceTimeoutMs: 300 });
    release();
    expect(relevance[0]?.by).toBe('words');
    expect(fallback).toBe('the model did not answer within 300 ms');
  });

  it('may be out of reach', async () => {
    const { api: closed, ask } = await start([]);
    await closed.close();
    api = undefined;
    expect((await assess(ask)).fallback).toMatch(/^the model could not be asked: /);
  });

  it('is a family by the name of its current model', () => {
    expect(resolveModelName('claude-haiku')).toBe('claude-haiku-4-5');
    expect(resolveModelName('claude-haiku-4-5')).toBe('claude-haiku-4-5');
    expect(resolveModelName('constructor')).toBe('constructor');
  });

  it('costs nothing until it is asked', () => {
    const index = join(import.meta.dirname, '../../src/index.ts');
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      const packages = () => [...new Set(loaded.flatMap((url) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort();
      const { makeAnthropicModel } = await import(${JSON.stringify(index)});
      const ask = makeAnthropicModel({ apiKey: 'x', baseUrl: 'http://127.0.0.1:1' });
      const before = packages();
      await ask({ model: 'm', system: 's', prompt: 'p', maxTokens: 1, signal: AbortSignal.abort() }).catch(() => {});
      console.log(JSON.stringify([before, packages().includes('@anthropic-ai/sdk')]));`;
    const args = ['--conditions=openbot-source', '--input-type=module', '--eval', script];
    const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
    // Text is fitted to a terminal by string-width.
    const forText = ['ansi-regex', 'get-east-asian-width', 'string-width', 'strip-ansi'];
    expect(JSON.parse(printed)).toEqual([forText, true]);
  });
});

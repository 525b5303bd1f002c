import { join } from 'node:path';
import { applyResetModelOverride } from '@openbot/sessions';
import { describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import { indexModels, modelNotFound, resolveModel } from '../../src/config/models.ts';

const INDEX = indexModels({
  model: { primary: 'Fast', fallbacks: ['openai/gpt-5', 'haiku-9'] },
  models: {
    'anthropic/claude-opus-4-5': { alias: 'Opus', contextWindow: 200_000 },
    'Anthropic/haiku-9': { alias: 'fast' },
    'openrouter/meta/llama-4': {},
    nonsense: { alias: 'no' },
  },
});

describe('the models of the settings', () => {
  it('without any, the script model answers', () => {
    expect(indexModels({})).toMatchObject({
      defaultProvider: 'script',
      defaultModel: 'echo',
      isChosen: false,
    });
  });

  it('the default and its fallbacks may be aliases or models alone', () => {
    expect(INDEX).toMatchObject({
      defaultProvider: 'anthropic',
      defaultModel: 'haiku-9',
      isChosen: true,
      fallbacks: [
        { provider: 'openai', model: 'gpt-5' },
        { provider: 'anthropic', model: 'haiku-9' },
      ],
    });
    expect(INDEX.models.map(({ provider, model }) => `${provider}/${model}`)).toEqual([
      'anthropic/haiku-9',
      'openai/gpt-5',
      'anthropic/claude-opus-4-5',
      'openrouter/meta/llama-4',
    ]);
  });

  it.each([
    ['opus', 'anthropic', 'claude-opus-4-5'],
    [' FAST ', 'anthropic', 'haiku-9'],
    ['openrouter/meta/llama-4', 'openrouter', 'meta/llama-4'],
    ['OpenAI/gpt-9', 'openai', 'gpt-9'],
    ['Claude-Opus-4-5', 'anthropic', 'claude-opus-4-5'],
    ['gpt-5', 'openai', 'gpt-5'],
    ['other', 'anthropic', 'other'],
  ])('%s is %s/%s', (name, provider, model) => {
    expect(resolveModel(name, INDEX)).toEqual({ provider, model });
  });

  it('windows: of the model, else of the agent', () => {
    const opus = { provider: 'anthropic', model: 'claude-opus-4-5' };
    expect(INDEX.contextWindowOf(opus)).toBe(200_000);
    expect(INDEX.contextWindowOf({ provider: 'openai', model: 'gpt-5' })).toBeUndefined();
    expect(indexModels({ contextTokens: 5 }).contextWindowOf(opus)).toBe(5);
  });

  it('an unknown one: what to set, and where', () => {
    expect(modelNotFound('opsu', INDEX, '/s/openbot.json')).toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: 'There is no model opsu',
      hint: 'Did you mean Opus? The model of all agents is agents.defaults.model in /s/openbot.json; models of your own are described there in models.providers',
    });
    expect(modelNotFound('x', indexModels({}), '/s/openbot.json').hint).toMatch(/^Known: script\/echo\. /);
    const configured = indexModels({ model: 'script/guide' });
    expect(modelNotFound('script/guide', configured, '/s/openbot.json').hint).toMatch(
      /^Known: script\/echo\. /,
    );
  });
});

describe('/new with a model', () => {
  it.each([
    ['opus tell me', 'anthropic', 'claude-opus-4-5', 'tell me'],
    ['openai/gpt-5 tell me', undefined, undefined, undefined],
    ['fast tell me', undefined, undefined, 'tell me'],
  ])('%s', async (bodyStripped, provider, model, rest) => {
    const sessionEntry = { sessionId: 's', updatedAt: 1 };
    const result = await applyResetModelOverride({
      resetTriggered: true,
      bodyStripped,
      sessionCtx: {},
      aliasIndex: INDEX.aliasIndex,
      defaultProvider: INDEX.defaultProvider,
      defaultModel: INDEX.defaultModel,
      sessionEntry,
      storePath: join(makeTempFolder(), 'sessions.json'),
    });
    expect(result.cleanedBody).toBe(rest);
    expect([sessionEntry]).toEqual([
      expect.objectContaining(
        provider === undefined ? { sessionId: 's' } : { providerOverride: provider, modelOverride: model },
      ),
    ]);
  });
});

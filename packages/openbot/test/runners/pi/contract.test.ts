import { testRunner } from '../contract-suite.ts';
import { openPi, startAnthropicKind, startOpenaiKind } from './scripted-provider.ts';

const contextWindow = 100_000;

testRunner('pi, with a provider of the Anthropic kind', {
  model: { provider: 'anthropic-kind', model: 'm', contextWindow },
  open: async (script) => openPi('anthropic-kind', (await startAnthropicKind(script)).settings),
});

testRunner('pi, with a provider of the OpenAI kind', {
  model: { provider: 'openai-kind', model: 'm', contextWindow },
  open: async (script) => openPi('openai-kind', (await startOpenaiKind(script)).settings),
});

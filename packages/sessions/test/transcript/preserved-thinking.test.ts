import { describe, expect, test } from 'vitest';
import {
  bindsThinking,
  hasBoundThinking,
  LineSplitter,
  TranscriptBuilder,
} from '../../src/exports/transcript.ts';
import { activePath } from '../../src/index.ts';

describe('which models bind thinking to what was said before it', () => {
  test.each([
    'claude-fable-5-1',
    'claude-fable-5-2',
    'claude-mythos-5-1',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-opus-5-10',
    'claude-haiku-6',
    'claude-sonnet-10',
    'claude-opus-5-5-20260801',
    'claude-sonnet-5-5[1m]',
    'anthropic/claude-opus-5.5',
    'us.anthropic.claude-opus-5-5-v1:0',
    'claude-sonnet-5-5@20260801',
    'Claude-Opus-5-5',
    // Without a version, or of a family that is not known.
    'claude-opus-latest',
    'claude-opus-20270101',
    'claude-novella-6',
    'opus',
    'sonnet[1m]',
    'opusplan',
    'claude-opus[1m]',
    'claude-opus-latest[1m]',
    'claude-opus-latest-1m',
    'sonnet:beta',
    // With a version that is written in another way, or only in part readable.
    'claude-opus-5_5',
    'claude-opus-5p5',
    'claude-opus-5-5x',
    'claude_opus_5_5',
    'opus-5-5',
    'sonnet-5.5',
    'fable-5-1',
    'claude-code/opus-5-5',
    'claude-opus-5-5-latest',
    'anthropic/claude-opus-5.5:thinking',
    'claude-opus-5-5-thinking',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5-5-v1:0',
  ])('%s does', (model) => expect(bindsThinking(model)).toBe(true));

  test.each([
    'claude-fable-5',
    'claude-mythos-5-0',
    'claude-opus-5',
    'claude-opus-5-4',
    'claude-sonnet-4-6',
    'claude-opus-4-20250514',
    'claude-opus-4-1-20250805',
    'claude-sonnet-4@20250514',
    'claude-3-5-sonnet-20241022',
    'claude-3-7-sonnet-latest',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'anthropic.claude-v2:1',
    'claude-instant-1.2',
    'claude-3-7-sonnet',
    'claude-3-opus-latest',
    'claude-opus-5-latest',
    'claude-opus-5-v1:0',
    'claude-opus-4-5[1m]',
    'claude-opus-4p5',
    'claude_sonnet_4_5',
    'anthropic/claude-sonnet-4.5',
    'anthropic/claude-sonnet-4.5:thinking',
    'claude-sonnet-4-5-thinking',
    'us.anthropic.claude-opus-4-1-20250805-v1:0',
    'opus-4-5',
    'gpt-5.5',
    'claude-code/gpt-5.5',
    'claude-proxy/glm-6',
    'claudette-7b',
    'my-sonnet-7',
    'opus-mt-en-de',
    'fable-13b',
    'default',
    'best',
    '',
  ])('%s does not', (model) => expect(bindsThinking(model)).toBe(false));

  test.each(['default', 'best', 'default[1m]', 'opus'])('%s does in Claude Code', (model) => {
    expect(bindsThinking(model, { byClaudeCode: true })).toBe(true);
  });

  test.each(['gpt-5.5', 'claude-opus-5', ''])('%s does not in Claude Code either', (model) => {
    expect(bindsThinking(model, { byClaudeCode: true })).toBe(false);
  });
});

describe('the newest model of a session decides', () => {
  const openclaw = (...lines: object[]) =>
    [{ type: 'session', version: 3, id: 's' }, ...lines].map((line, at) => ({
      ...(at > 0 && { id: `e${at}`, parentId: at === 1 ? null : `e${at - 1}` }),
      ...line,
    }));
  const answer = (model: string, more: object = {}) => ({
    type: 'message',
    message: { role: 'assistant', content: [{ type: 'text', text: 'ok' }], model, ...more },
  });
  const change = (modelId: string) => ({ type: 'model_change', provider: 'anthropic', modelId });
  const claude = (model: string, at: number) => ({
    type: 'assistant',
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    message: { id: `m${at}`, role: 'assistant', model, content: [{ type: 'text', text: 'ok' }] },
  });

  test.each<[string, object[], boolean]>([
    ['a model of an answer', openclaw(answer('claude-opus-5-5')), true],
    ['an older model', openclaw(answer('claude-opus-5')), false],
    ['no model at all', openclaw(), false],
    ['a change to a newer model', openclaw(answer('claude-opus-5'), change('claude-opus-5-5')), true],
    ['a change to an older model', openclaw(answer('claude-opus-5-5'), answer('claude-sonnet-4-6')), false],
    ['a change to what may be any model', openclaw(answer('claude-opus-5-5'), change('default')), true],
    ['what may be any model', openclaw(answer('default')), false],
    [
      'a message that no model wrote',
      openclaw(answer('claude-opus-5-5'), answer('delivery-mirror', { provider: 'openclaw' })),
      true,
    ],
    [
      'the words of a run that was stopped',
      openclaw(answer('claude-opus-5-5'), answer('gateway-injected', { provider: 'openclaw' })),
      true,
    ],
    [
      'what a gateway wrote down for another agent',
      openclaw(answer('claude-opus-5-5'), answer('acp-runtime', { provider: 'openclaw' })),
      true,
    ],
    [
      'a try with an older model that failed',
      openclaw(answer('claude-opus-5-5'), answer('gpt-5', { content: [], stopReason: 'error' })),
      true,
    ],
    [
      'a try with a newer model that failed',
      openclaw(answer('gpt-5'), answer('claude-opus-5-5', { content: [], stopReason: 'aborted' })),
      false,
    ],
    ['nothing but a try that failed', openclaw(answer('claude-opus-5-5', { stopReason: 'error' })), true],
    [
      'a branch that was left',
      openclaw(
        answer('claude-opus-5'),
        { ...answer('claude-opus-5-5'), id: 'x' },
        { ...answer('claude-opus-5'), parentId: 'e1' },
      ),
      false,
    ],
    ['a model of Claude Code', [claude('claude-haiku-5-5', 0)], true],
    ['an error of Claude Code', [claude('claude-haiku-5-5', 0), claude('<synthetic>', 1)], true],
  ])('%s', (_, lines, expected) => {
    const builder = new TranscriptBuilder();
    const splitter = new LineSplitter(builder);
    splitter.push(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
    splitter.finish();
    const transcript = builder.finish(splitter.offset);
    expect(hasBoundThinking(transcript, activePath(transcript).entries)).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { buildReplyPayloads } from '../../../src/turn/reply/build-reply-payloads.ts';
import { buildErrorPayload, type RunFailure } from '../../../src/turn/reply/error-payload.ts';
import {
  formatToolLine,
  formatUsageLine,
  type SessionExtras,
} from '../../../src/turn/reply/session-extras.ts';

const SECRET = `sk-ant-api03-${'a1B2'.repeat(20)}`;
const build = (extras: SessionExtras, text = 'answer') =>
  buildReplyPayloads({ payloads: [{ text }], extras }).map((payload) => payload.text);

describe('what a session adds to its replies', () => {
  const usage = { input: 1000, output: 340, cacheRead: 200, cacheWrite: 4 };

  it('shows the reasoning by itself', () => {
    expect(build({ reasoningLevel: 'on', reasoning: ' I think \n' })).toEqual([
      'Reasoning:\nI think',
      'answer',
    ]);
    expect(build({ reasoningLevel: 'stream', reasoning: 'I think' })).toEqual([
      'Reasoning:\nI think',
      'answer',
    ]);
    expect(build({ reasoningLevel: 'stream', reasoning: 'I think', wasReasoningStreamed: true })).toEqual([
      'answer',
    ]);
    expect(build({ reasoningLevel: 'off', reasoning: 'I think' })).toEqual(['answer']);
    expect(build({ reasoning: 'I think' })).toEqual(['answer']);
    expect(build({ reasoningLevel: 'on', reasoning: ' ' })).toEqual(['answer']);
  });

  it('shows one line for each tool call', () => {
    const tools = [
      { name: 'read_file', arguments: { path: 'notes.md' }, result: 'one\ntwo' },
      { name: 'write_file', arguments: { path: 'x', text: 'y' }, isError: true },
    ];
    expect(build({ verboseLevel: 'on', tools })).toEqual([
      '🛠️ read_file notes.md\n❌ write_file x y',
      'answer',
    ]);
    expect(build({ verboseLevel: 'full', tools })).toEqual([
      '🛠️ read_file notes.md\n```\none\ntwo\n```\n❌ write_file x y',
      'answer',
    ]);
    expect(build({ verboseLevel: 'off', tools })).toEqual(['answer']);
    expect(build({ verboseLevel: 'on', tools, wereToolsStreamed: true })).toEqual(['answer']);
  });

  it('keeps secrets and control characters out of tool lines', () => {
    const tool = {
      name: 'run',
      arguments: { command: `export KEY=${SECRET}\n\x1b[2J` },
      result: `key ${SECRET} \`\`\``,
    };
    const line = formatToolLine(tool, 'full');
    expect(line).not.toContain(SECRET);
    expect(line).not.toContain('\x1b');
    expect(line.match(/```/g)).toHaveLength(2);
  });

  it('appends the usage to the last text', () => {
    expect(build({ responseUsage: 'tokens', usage })).toEqual(['answer\n\nUsage: 1,204 in · 340 out']);
    expect(build({ responseUsage: 'on', usage })).toEqual(['answer\n\nUsage: 1,204 in · 340 out']);
    expect(build({ responseUsage: 'off', usage })).toEqual(['answer']);
    expect(build({ responseUsage: 'tokens' })).toEqual(['answer']);
    expect(
      formatUsageLine({
        responseUsage: 'full',
        usage,
        model: 'p/m',
        contextTokens: 50_000,
        contextWindow: 200_000,
      }),
    ).toBe('Usage: 1,204 in · 340 out · cache 200 read, 4 written · context 50k of 200k · p/m');
  });

  it('sends the usage by itself when the answer was streamed', () => {
    expect(
      buildReplyPayloads({
        payloads: [{ text: 'answer' }],
        streamedBlocks: ['answer'],
        extras: { responseUsage: 'tokens', usage: { input: 1, output: 2 } },
      }),
    ).toEqual([{ text: 'Usage: 1 in · 2 out' }]);
  });

  it('adds nothing to silence, and no usage to a failure', () => {
    const extras = { responseUsage: 'full', usage, reasoningLevel: 'on', reasoning: 'x' } as const;
    expect(build(extras, 'NO_REPLY')).toEqual([]);
    expect(
      buildReplyPayloads({
        payloads: [{ text: 'failed', isError: true }],
        extras: { responseUsage: 'full', usage },
      }),
    ).toEqual([{ text: 'failed', isError: true }]);
  });
});

describe('buildErrorPayload', () => {
  const textOf = (failure: RunFailure) => {
    const payload = buildErrorPayload(failure);
    expect(payload.isError).toBe(true);
    return payload.text ?? '';
  };

  it('says what happened and what to do', () => {
    expect(
      textOf({ kind: 'error', error: 'no key', hint: 'Set ANTHROPIC_API_KEY.', isTransient: false }),
    ).toBe('⚠️ The model failed: no key. Set ANTHROPIC_API_KEY.');
    expect(textOf({ kind: 'error', error: 'overloaded!', isTransient: true })).toBe(
      '⚠️ The model failed: overloaded! Your message is kept in the conversation; send another one to try again.',
    );
    expect(textOf({ kind: 'error', error: 'bad', isTransient: false })).toContain('/new <model>');
    expect(textOf({ kind: 'overflow', error: 'x' })).toContain('/new');
    expect(textOf({ kind: 'timeout', seconds: 600 })).toContain('600 seconds');
    expect(textOf({ kind: 'gave-up' })).toContain('again and again');
  });

  it('keeps secrets, control characters and length out', () => {
    const text = textOf({
      kind: 'error',
      error: `401 for key ${SECRET}\nAuthorization: Bearer ${SECRET}\x1b[31m ${'x'.repeat(10_000_000)}`,
      hint: `replace ${SECRET}`,
      isTransient: false,
    });
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('\x1b');
    expect(text.length).toBeLessThan(1200);
  });
});

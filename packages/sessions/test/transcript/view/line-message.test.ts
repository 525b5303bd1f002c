import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { extractSpokenText } from '../../../src/transcript/extract.ts';
import { readLineMessage } from '../../../src/transcript/view/line-message.ts';

const FIXTURES = join(import.meta.dirname, '../../../../../fixtures');

const AT = '2026-11-15T18:00:00.000Z';
const MS = Date.parse(AT);

describe('one line', () => {
  it.each([
    [
      'a person, as OpenClaw writes it',
      {
        type: 'message',
        id: 'a1',
        parentId: null,
        timestamp: AT,
        message: { role: 'user', content: 'hello' },
      },
      { speaker: 'user', id: 'a1', at: MS, blocks: [{ kind: 'text', text: 'hello' }] },
    ],
    [
      'a flat line',
      { type: 'assistant', content: [{ type: 'text', text: 'hi' }], timestamp: AT },
      { speaker: 'assistant', at: MS, blocks: [{ kind: 'text', text: 'hi' }] },
    ],
    [
      'an answer with thinking, a call and figures',
      {
        type: 'message',
        id: 'b2',
        timestamp: AT,
        message: {
          role: 'assistant',
          provider: 'p',
          model: 'm',
          responseId: 'r1',
          stopReason: 'toolUse',
          usage: { input: 5, output: 2, cacheRead: 3, cacheWrite: 1, cost: { total: 0.5 } },
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'toolCall', id: 'c1', name: 'exec', arguments: { command: 'ls' } },
          ],
        },
      },
      {
        speaker: 'assistant',
        id: 'b2',
        at: MS,
        provider: 'p',
        model: 'm',
        messageId: 'r1',
        usage: { input: 5, output: 2, cacheRead: 3, cacheWrite: 1, costUsd: 0.5 },
        blocks: [
          { kind: 'thinking', text: 'hm' },
          { kind: 'call', id: 'c1', name: 'exec', arguments: { command: 'ls' } },
        ],
      },
    ],
    [
      'a result of OpenClaw',
      {
        type: 'message',
        id: 'c3',
        message: {
          role: 'toolResult',
          toolCallId: 'c1',
          toolName: 'exec',
          isError: true,
          content: [
            { type: 'text', text: 'no' },
            { type: 'image', data: 'x' },
          ],
        },
      },
      {
        speaker: 'tool',
        id: 'c3',
        blocks: [{ kind: 'result', callId: 'c1', name: 'exec', text: 'no', images: 1, isError: true }],
      },
    ],
    [
      'a result of Claude Code, which is in a line of the user',
      {
        type: 'user',
        uuid: 'u1',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }],
        },
      },
      {
        speaker: 'tool',
        id: 'u1',
        blocks: [{ kind: 'result', callId: 't1', text: 'done', images: 0, isError: false }],
      },
    ],
    [
      'an answer of Claude Code',
      {
        type: 'assistant',
        uuid: 'u2',
        requestId: 'q1',
        isSidechain: true,
        message: {
          role: 'assistant',
          id: 'm1',
          model: 'claude-x',
          usage: { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 2 },
          content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
        },
      },
      {
        speaker: 'assistant',
        id: 'u2',
        model: 'claude-x',
        messageId: 'm1',
        requestId: 'q1',
        isSidechain: true,
        usage: { input: 7, output: 1, cacheRead: 2, cacheWrite: 0 },
        blocks: [{ kind: 'call', id: 't1', name: 'Bash', arguments: { command: 'ls' } }],
      },
    ],
    [
      'an answer that failed',
      {
        type: 'message',
        message: { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded' },
      },
      { speaker: 'assistant', blocks: [], failure: 'overloaded' },
    ],
    [
      'a note of Claude Code in the name of the person',
      {
        type: 'user',
        message: { role: 'user', content: '<local-command-stdout>x</local-command-stdout>' },
      },
      {
        speaker: 'system',
        blocks: [{ kind: 'text', text: '<local-command-stdout>x</local-command-stdout>' }],
      },
    ],
    [
      'a compaction',
      { type: 'compaction', id: 'd4', summary: 'what was said', firstKeptEntryId: 'a1' },
      { speaker: 'summary', id: 'd4', blocks: [{ kind: 'text', text: 'what was said' }] },
    ],
    [
      'a command that a person ran in pi',
      { type: 'message', message: { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 1 } },
      {
        speaker: 'tool',
        blocks: [
          { kind: 'call', id: '', name: 'bash', arguments: { command: 'ls' } },
          { kind: 'result', callId: '', name: 'bash', text: 'a', images: 0, isError: true },
        ],
      },
    ],
  ])('%s', (_, line, message) => {
    expect(readLineMessage(line)).toEqual(message);
  });

  it.each([
    ['a header', { type: 'session', version: 3, id: 's' }],
    ['a setting', { type: 'model_change', provider: 'p', modelId: 'm' }],
    ['a mark', { type: 'custom', customType: 'openbot.turn', data: {} }],
    ['a line outside the conversation', { type: 'last-prompt', lastPrompt: 'x' }],
    ['an empty message', { type: 'message', message: { role: 'user', content: '' } }],
    ['no object', 'hello'],
  ])('%s says nothing', (_, line) => {
    expect(readLineMessage(line)).toBeUndefined();
  });
});

/** Every transcript that the programs themselves wrote. */
const TRANSCRIPTS = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.jsonl(?:\.|$)/.test(path) && !path.includes('trajectory'))
  .sort();

test.each(TRANSCRIPTS)('what is spoken in %s is what an index takes', (path) => {
  for (const text of readFileSync(join(FIXTURES, path), 'utf8').split('\n')) {
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch {
      continue;
    }
    const spoken = extractSpokenText(line);
    const message = readLineMessage(line);
    const words = message?.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');
    if (spoken !== undefined) expect([message?.speaker, words]).toEqual([spoken.role, spoken.text]);
    else if (message?.speaker === 'user') expect(words?.trim() ?? '').toBe('');
  }
});

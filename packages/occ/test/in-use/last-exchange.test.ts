import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanTranscriptFile } from '@openbot/sessions';
import { beforeEach, describe, expect, test } from 'vitest';
import { judgeLastExchange, readLastExchange } from '../../src/in-use/last-exchange.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { CLAUDE, chain, OPENCLAW } from './exchanges.ts';

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 's.jsonl');
});

async function judge(text: string): Promise<string[]> {
  writeFileSync(path, text);
  return [judgeLastExchange(await scanTranscriptFile(path)), (await readLastExchange(path)).exchange];
}

const { header, question, call, twoCalls, result, answer, custom, modelChange } = OPENCLAW;
const TOLD = 'System: [2026-01-12 12:19:17 PST] Store durable memories now.';
const told = { ...question, message: { role: 'user', content: TOLD } };
const said = [header, question, call, result, answer];
const thought = (model: string, stopReason = 'length') => ({
  type: 'message',
  message: { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }], model, stopReason },
});

describe('OpenClaw and pi', () => {
  test.each([
    ['nothing at all', [], 'finished'],
    ['a header only', [header], 'finished'],
    ['a question without an answer', [header, question], 'unfinished'],
    ['a call without a result', [header, question, call], 'unfinished'],
    ['one of two calls with a result', [header, question, twoCalls, result], 'unfinished'],
    ['a result without an answer', [header, question, call, result], 'unfinished'],
    ['an answer', said, 'finished'],
    ['an answer, then lines that are no messages', [...said, custom, modelChange], 'finished'],
    ['a result, then lines that are no messages', [header, question, call, result, custom], 'unfinished'],
    ['an answer, then the next question', [...said, question], 'unfinished'],
    ['an answer, then what the runtime asks', [...said, told], 'unfinished'],
    ['thinking alone', [header, question, thought('claude-opus-4-5')], 'finished'],
    ['thinking alone, bound', [header, question, thought('claude-opus-5-5')], 'unfinished'],
    ['thinking alone that failed', [header, question, thought('claude-opus-5-5', 'error')], 'finished'],
  ])('%s: %#', async (_, lines, expected) => {
    expect(await judge(chain(lines))).toEqual([expected, expected]);
  });

  test('what counts is the active path: a branch left behind in the middle of a call is over', async () => {
    const lines = [
      header,
      { id: 'a', parentId: null, ...question },
      { id: 'b', parentId: 'a', ...call },
      { id: 'c', parentId: 'a', ...answer },
    ];
    expect(await judge(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))).toEqual([
      'finished',
      'finished',
    ]);
  });

  test('a linear file without ids', async () => {
    const lines = [header, question, call, result].map((line) => `${JSON.stringify(line)}\n`).join('');
    expect(await judge(lines)).toEqual(['unfinished', 'unfinished']);
    expect(await judge(`${lines}${JSON.stringify(answer)}\n`)).toEqual(['finished', 'finished']);
  });

  test('a torn last line is skipped', async () => {
    expect(await judge(`${chain(said)}{"type":"mess`)).toEqual(['finished', 'finished']);
  });
});

describe('Claude Code', () => {
  const { text, secondCall, duration, reminder, lastPrompt } = CLAUDE;
  const asked = CLAUDE.question;
  test.each([
    ['a question without an answer', [asked], 'unfinished'],
    ['text and call of one message', [asked, text, CLAUDE.call], 'unfinished'],
    ['a result of one of two calls', [asked, CLAUDE.call, secondCall, CLAUDE.result], 'unfinished'],
    [
      'a result between two calls of one message',
      [asked, CLAUDE.call, CLAUDE.result, secondCall],
      'unfinished',
    ],
    ['an answer', [asked, text, CLAUDE.call, CLAUDE.result, CLAUDE.answer], 'finished'],
    [
      'an answer and what Claude writes behind it',
      [asked, text, CLAUDE.call, CLAUDE.result, CLAUDE.answer, duration, reminder, lastPrompt],
      'finished',
    ],
    ['what the runtime asks', [asked, CLAUDE.answer, { ...asked, message: told.message }], 'unfinished'],
    ['a result and a reminder', [asked, CLAUDE.call, CLAUDE.result, reminder, lastPrompt], 'unfinished'],
  ])('%s: %#', async (_, lines, expected) => {
    expect(await judge(chain(lines))).toEqual([expected, expected]);
  });
});

test('a last message far from the end of the file is still found', async () => {
  const filler = Array.from({ length: 40 }, () => ({ ...custom, data: { text: 'x'.repeat(200_000) } }));
  expect(await judge(chain([header, question, call, ...filler]))).toEqual(['unfinished', 'unfinished']);
  expect(await judge(chain([...said, ...filler]))).toEqual(['finished', 'finished']);
});

test('a result whose call is further back than what is read of the file', async () => {
  const long = {
    ...result,
    message: { ...result.message, content: [{ type: 'text', text: 'x'.repeat(400_000) }] },
  };
  expect(await judge(chain([header, question, call, long]))).toEqual(['unfinished', 'unfinished']);
  expect(await judge(chain([header, question, call, long, answer]))).toEqual(['finished', 'finished']);
});

test('thinking is bound, though the end of the file names another model in a try that failed', async () => {
  const { content } = answer.message as unknown as { content: object[] };
  const says = (model: string, more: object = {}) => ({
    type: 'message',
    message: { role: 'assistant', content, model, ...more },
  });
  const filler = Array.from({ length: 1200 }, () => ({ ...custom, data: { text: 'x'.repeat(300) } }));
  const failed = says('gpt-5', { content: [], stopReason: 'error' });
  const lines = [header, question, says('claude-opus-5-5'), ...filler, question, failed, question];
  writeFileSync(path, chain(lines));
  expect(await readLastExchange(path)).toEqual({ exchange: 'unfinished', isBound: true });
});

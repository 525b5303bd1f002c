/** What the end of a transcript tells of its context is what the whole transcript tells. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextTokens } from '../../src/transcript/context/tokens.ts';
import { findClaudeCodeFigure } from '../../src/transcript/ends/claude-code-figure.ts';
import type { ContextFigure, FigureSearch } from '../../src/transcript/ends/last-figure.ts';
import { findOpenclawFigure } from '../../src/transcript/ends/openclaw-figure.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import { arbitrarySession } from '../openclaw-db/setup/arbitrary-session.ts';
import { assistant, boundary, call, type Line, note, result, rewind, user } from './claude-lines.ts';
import { generatedTree } from './generated-tree.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');

function wholeFigure(lines: readonly string[]): ContextFigure {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  splitter.finish();
  const { tokens, basis } = contextTokens(builder.finish(splitter.offset));
  return { tokens, basis };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Returns what the end tells, after a comparison with the whole. */
function compare(search: FigureSearch, lines: readonly string[]): ContextFigure | undefined {
  const end = search(lines.toReversed().map(parse));
  if (end === undefined) return undefined;
  const whole = wholeFigure(lines);
  if (end.basis === 'recorded' || whole.basis === 'recorded') expect(end).toEqual(whole);
  else expect(end.basis).toBe(whole.basis);
  return end;
}

const fixtures = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl') && !name.includes('trajectory') && !name.includes('subagents'))
  // Lines made for the figures of a report, without a conversation.
  .filter((name) => !name.startsWith('ccusage'))
  .map((name) => [name, name.startsWith('claude-code') ? findClaudeCodeFigure : findOpenclawFigure] as const);

test.each(fixtures)('of %s, after each of its lines', (name, search) => {
  const lines = readFileSync(join(FIXTURES, name), 'utf8').trimEnd().split('\n');
  const found = lines.map((_, at) => compare(search, lines.slice(0, at + 1)));
  const isRecorded = /"(?:totalTokens|input_tokens)":[1-9]/.test(lines.join(''));
  expect(found.some((figure) => figure !== undefined)).toBe(isRecorded);
});

/** Gives each assistant's message a figure of its own. */
function withUsage(lines: readonly object[]): string[] {
  return lines.map((line, at) => {
    const { message } = line as { message?: { role?: string } };
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 1000 + at };
    return JSON.stringify(message?.role === 'assistant' ? { ...line, message: { ...message, usage } } : line);
  });
}

describe('whatever the tree', () => {
  test('of pi', HUNT, () => {
    const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
    fc.assert(
      fc.property(generatedTree, (lines) => void compare(findOpenclawFigure, withUsage([header, ...lines]))),
      cases({ gate: 25, torture: 2000 }),
    );
  });

  test('of OpenClaw', HUNT, () => {
    fc.assert(
      fc.property(arbitrarySession, (lines) => void compare(findOpenclawFigure, withUsage(lines))),
      cases({ gate: 25, torture: 2000 }),
    );
  });
});

describe('of Claude Code', () => {
  const reply = (uuid: string, parent: string, tokens: number, more: Line = {}) =>
    assistant(uuid, parent, { usage: { input_tokens: tokens, output_tokens: 0 }, ...more });
  const TURNS = [user('a', null), reply('b', 'a', 10), user('c', 'b'), reply('d', 'c', 20)];
  const find = (...lines: (Line | readonly Line[])[]) =>
    compare(
      findClaudeCodeFigure,
      lines.flat().map((line) => JSON.stringify(line)),
    );
  const recorded = (tokens: number) => ({ tokens, basis: 'recorded' });

  test('the last line counts, unless the conversation was rewound', () => {
    expect(find(TURNS)).toEqual(recorded(20));
    expect(find(TURNS, note('d'))).toEqual(recorded(20));
    expect(find(TURNS, note('b'))).toEqual(recorded(20));
    expect(find(TURNS, rewind('b'))).toBeUndefined();
    expect(find(TURNS, rewind('b'), note('b'))).toBeUndefined();
    expect(find(TURNS, note('d'), user('e', 'b'), reply('f', 'e', 30))).toBeUndefined();
    expect(find(TURNS, user('e', 'b'), reply('f', 'e', 30), note('f'))).toEqual(recorded(30));
  });

  test('a figure from before a compaction does not count', () => {
    const summary = user('s', 'x', 'summary', { isCompactSummary: true });
    expect(find(TURNS, boundary('x', 'd'), summary)).toBeUndefined();
    expect(find(TURNS, boundary('x', 'd'), summary, reply('e', 's', 5))).toEqual(recorded(5));
  });

  test('an error of the API has no figure; what was said since is added', () => {
    const failed = { ...reply('e', 'd', 99), isApiErrorMessage: true };
    expect(find(TURNS, failed)).toEqual(recorded(20));
    expect(find(TURNS, user('e', 'd', 'x'.repeat(400)))).toEqual({ tokens: 120, basis: 'calibrated' });
    expect(find(TURNS, call('e', 'd', 'm'), result('f', 'e'))?.basis).toBe('calibrated');
  });

  test('lines of a subagent are not of the conversation', () => {
    const own = reply('d2', 'd', 99);
    expect(find(TURNS, { ...own, isSidechain: true })).toEqual(recorded(20));
  });

  test('the last request of a message that took several', () => {
    const request = (tokens: number, type = 'message') => ({
      type,
      input_tokens: tokens,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    });
    const usage = {
      input_tokens: 70,
      output_tokens: 0,
      iterations: [request(30), request(40), request(9, 'compaction')],
    };
    expect(find(user('a', null), assistant('b', 'a', { usage }))).toEqual(recorded(40));
  });
});

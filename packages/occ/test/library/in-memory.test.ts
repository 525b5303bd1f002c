/** Cleaning lines that a caller holds in memory. */
import { describe, expect, it } from 'vitest';
import {
  identifyTurnBoundaries,
  type MessageEntry,
  OpenBotError,
  removeToolCalls,
  resolvePreset,
  resolveToolRemovalOptions,
  type SessionEntry,
  truncateArguments,
  truncateToolResult,
} from '../../src/index.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';

const session = (...args: Parameters<typeof createSessionWithTurns>) =>
  createSessionWithTurns(...args) as unknown as SessionEntry[];
const EXTREME = { keepTurnsWithTools: 0, truncatePercent: 0 };

describe('removeToolCalls', () => {
  it('gives the lines that are left, and counts', () => {
    const entries = session(30, 1, { resultLength: 900 });
    const { processedEntries, statistics } = removeToolCalls(entries, resolvePreset('default'));
    expect(statistics).toEqual({
      turnsWithToolsTotal: 30,
      turnsWithToolsRemoved: 10,
      turnsWithToolsTruncated: 10,
      turnsWithToolsPreserved: 10,
      toolCallsRemoved: 10,
      toolCallsTruncated: 10,
    });
    expect(processedEntries).toHaveLength(entries.length - 10);
    expect(processedEntries[0]).toBe(entries[0]);
    expect(processedEntries.slice(-40)).toEqual(entries.slice(-40));
  });

  it('leaves what it is given as it is', () => {
    const entries = session(30, 2, { resultLength: 900, argumentLength: 900 });
    const copy = structuredClone(entries);
    removeToolCalls(entries, resolvePreset('aggressive'));
    expect(entries).toEqual(copy);
  });

  it('is the same when done twice', () => {
    const once = removeToolCalls(session(30, 2, { resultLength: 900 }), resolvePreset('default'));
    const twice = removeToolCalls(once.processedEntries, resolvePreset('default'));
    expect(twice.processedEntries).toEqual(once.processedEntries);
    expect(twice.statistics).toMatchObject({ toolCallsRemoved: 0, toolCallsTruncated: 0 });
  });

  it('relinks a tree, and keeps its last entry', () => {
    const entries = session(3, 1, { tree: true });
    const { processedEntries } = removeToolCalls(entries, EXTREME);
    const ids = processedEntries.slice(1).map((entry) => (entry as MessageEntry).id);
    const parents = processedEntries.slice(1).map((entry) => (entry as MessageEntry).parentId);
    expect(parents).toEqual([null, ...ids.slice(0, -1)]);
    expect(ids.at(-1)).toBe((entries.at(-1) as MessageEntry).id);
  });

  it('carries fields and lines that it does not know', () => {
    const strange = { type: 'of the future', ünï: ['é'] } as unknown as SessionEntry;
    const entries = [...session(2, 1), strange];
    const { processedEntries } = removeToolCalls(entries, EXTREME);
    expect(processedEntries.at(-1)).toBe(strange);
  });

  it('of nothing is nothing', () => {
    expect(removeToolCalls([], EXTREME).processedEntries).toEqual([]);
  });
});

describe('identifyTurnBoundaries', () => {
  const message = (role: string, content: unknown, more = {}) =>
    ({ type: 'message', timestamp: 1, message: { role, content, ...more } }) as unknown as MessageEntry;

  it("a turn is from a person's text to the last entry before the next", () => {
    const entries = session(2, 1).slice(1) as MessageEntry[];
    expect(identifyTurnBoundaries(entries)).toEqual([
      { startIndex: 0, endIndex: 3, turnIndex: 0, hasToolCalls: true },
      { startIndex: 4, endIndex: 7, turnIndex: 1, hasToolCalls: true },
    ]);
  });

  it('recognises turns without tools', () => {
    const entries = [...session(1, 0).slice(1), ...session(1, 1).slice(1)] as MessageEntry[];
    expect(identifyTurnBoundaries(entries).map(({ hasToolCalls }) => hasToolCalls)).toEqual([false, true]);
  });

  it('a result begins no turn', () => {
    const entries = [
      message('user', 'Go'),
      message('assistant', [{ type: 'toolCall', id: 'c', name: 'Read', arguments: {} }]),
      message('toolResult', 'text', { toolCallId: 'c' }),
      message('assistant', 'Done'),
    ];
    expect(identifyTurnBoundaries(entries)).toHaveLength(1);
  });

  it('of nothing is nothing', () => {
    expect(identifyTurnBoundaries([])).toEqual([]);
  });
});

describe('truncateArguments', () => {
  it('leaves short arguments as they are', () => {
    const args = { path: '/a', n: 1 };
    expect(truncateArguments(args)).toBe(args);
  });

  it('gives an object of at most 120 characters of JSON, with its marker', () => {
    const short = truncateArguments({ command: 'x'.repeat(5000), more: [1, 2, 3] });
    expect(JSON.stringify(short).length).toBeLessThanOrEqual(120);
    expect(short).toEqual({ command: expect.stringMatching(/^x+\.\.\.$/), '...': '...' });
    expect(truncateArguments(short)).toBe(short);
  });

  it('does not split a pair of surrogates', () => {
    const { text } = truncateArguments({ text: '🌍'.repeat(500) }) as { text: string };
    expect(text.isWellFormed()).toBe(true);
  });
});

describe('truncateToolResult', () => {
  it.each([
    ['short text', 'as it is', 'as it is'],
    ['two lines', 'one\ntwo', 'one\ntwo'],
    ['three lines', 'one\ntwo\nthree', 'one\ntwo[truncated]'],
    ['a long line', 'x'.repeat(500), `${'x'.repeat(109)}[truncated]`],
    [
      'blocks',
      [
        { type: 'text' as const, text: 'a' },
        { type: 'text' as const, text: 'b' },
      ],
      'a\nb',
    ],
    ['nothing', [], ''],
  ])('%s', (_, content, expected) => {
    expect(truncateToolResult(content)).toBe(expected);
  });

  it('names an image that goes', () => {
    expect(truncateToolResult([{ type: 'image', data: 'A'.repeat(900) }])).toBe('[image][truncated]');
  });
});

describe('resolvePreset and resolveToolRemovalOptions', () => {
  const custom = { mine: { name: 'mine', keepTurnsWithTools: 3, truncatePercent: 10 } };

  it('find a preset by its name', () => {
    expect(resolvePreset('aggressive')).toEqual({
      name: 'aggressive',
      keepTurnsWithTools: 10,
      truncatePercent: 50,
    });
    expect(resolvePreset('mine', custom)).toEqual(custom.mine);
  });

  it('an unknown one is an error that names the others', () => {
    expect(() => resolvePreset('unheard-of', custom)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_PRESET' }),
    );
    expect(() => resolvePreset('unheard-of', custom)).toThrow(
      expect.objectContaining({ hint: 'Known presets: default, aggressive, extreme, mine' }),
    );
    expect(() => resolvePreset('constructor')).toThrow(expect.objectContaining({ code: 'UNKNOWN_PRESET' }));
  });

  it("values of one's own win", () => {
    expect(resolveToolRemovalOptions({})).toEqual({ keepTurnsWithTools: 20, truncatePercent: 50 });
    expect(resolveToolRemovalOptions({ preset: 'mine', keepTurnsWithTools: 7 }, custom)).toEqual({
      keepTurnsWithTools: 7,
      truncatePercent: 10,
    });
    expect(resolveToolRemovalOptions({ keepTurnsWithTools: 0, truncatePercent: 0 })).toEqual(EXTREME);
  });

  it.each([
    { keepTurnsWithTools: -1 },
    { keepTurnsWithTools: 1.5 },
    { truncatePercent: 101 },
    { truncatePercent: Number.NaN },
  ])('%j makes no sense', (options) => {
    expect(() => resolveToolRemovalOptions(options)).toThrow(OpenBotError);
  });
});

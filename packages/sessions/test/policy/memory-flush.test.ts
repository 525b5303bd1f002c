import { describe, expect, it } from 'vitest';
import {
  type MemoryFlushConfig,
  type MemoryFlushEntry,
  resolveMemoryFlushSettings,
  shouldRunMemoryFlush,
} from '../../src/policy/memory-flush.ts';

describe('shouldRunMemoryFlush', () => {
  const window = { contextWindowTokens: 100_000, reserveTokensFloor: 5_000, softThresholdTokens: 4_000 };
  const flush = (entry: MemoryFlushEntry | undefined, over: object = {}) =>
    shouldRunMemoryFlush({ ...window, ...over, entry });

  it('at 91,000 of 100,000 with 5,000 reserved and 4,000 to spare', () => {
    expect(flush({ totalTokens: 91_000 })).toBe(true);
    expect(flush({ totalTokens: 90_999 })).toBe(false);
    expect(flush({ totalTokens: 250_000 })).toBe(true);
  });

  it('once for each compaction', () => {
    const totalTokens = 95_000;
    expect(flush({ totalTokens, memoryFlushCompactionCount: 0 })).toBe(false);
    expect(flush({ totalTokens, compactionCount: 0, memoryFlushCompactionCount: 0 })).toBe(false);
    expect(flush({ totalTokens, compactionCount: 2, memoryFlushCompactionCount: 2 })).toBe(false);
    expect(flush({ totalTokens, compactionCount: 3, memoryFlushCompactionCount: 2 })).toBe(true);
    expect(flush({ totalTokens, compactionCount: 3 })).toBe(true);
  });

  it('not on figures that are missing or known to be stale', () => {
    expect(flush(undefined)).toBe(false);
    expect(flush({})).toBe(false);
    expect(flush({ totalTokens: 0 })).toBe(false);
    expect(flush({ totalTokens: Number.NaN })).toBe(false);
    expect(flush({ totalTokens: '95000' as unknown as number })).toBe(false);
    expect(flush({ totalTokens: 95_000, totalTokensFresh: false })).toBe(false);
    expect(flush({ totalTokens: 95_000, totalTokensFresh: true })).toBe(true);
  });

  it('not where the window leaves no room', () => {
    const full = { totalTokens: 95_000 };
    expect(flush(full, { contextWindowTokens: 9_000 })).toBe(false);
    expect(flush(full, { contextWindowTokens: 0 })).toBe(false);
    expect(flush(full, { contextWindowTokens: Number.NaN })).toBe(false);
    expect(flush(full, { reserveTokensFloor: -1, softThresholdTokens: -1 })).toBe(false);
    expect(flush({ totalTokens: 100_000 }, { reserveTokensFloor: -1, softThresholdTokens: -1 })).toBe(true);
  });
});

describe('resolveMemoryFlushSettings', () => {
  const settings = (compaction: object): ReturnType<typeof resolveMemoryFlushSettings> =>
    resolveMemoryFlushSettings({ agents: { defaults: { compaction } } } as MemoryFlushConfig);

  it('has defaults', () => {
    const defaults = {
      softThresholdTokens: 4000,
      reserveTokensFloor: 20_000,
      inGroups: true,
      inReadOnly: false,
    };
    expect(resolveMemoryFlushSettings()).toEqual(defaults);
    expect(settings({ reserveTokensFloor: -1, memoryFlush: { softThresholdTokens: Number.NaN } })).toEqual(
      defaults,
    );
  });

  it('can be switched off', () => {
    expect(settings({ memoryFlush: { enabled: false } })).toBeNull();
  });

  it('takes what is configured', () => {
    const memoryFlush = {
      enabled: true,
      softThresholdTokens: 0,
      inGroups: false,
      inReadOnly: true,
      prompt: ' Save now. ',
      systemPrompt: ' ',
    };
    expect(settings({ reserveTokensFloor: 1234.5, memoryFlush })).toEqual({
      softThresholdTokens: 0,
      reserveTokensFloor: 1234,
      inGroups: false,
      inReadOnly: true,
      prompt: 'Save now.',
    });
  });
});

import type { SessionEntry } from '../entry/session-entry.ts';

const DEFAULT_MEMORY_FLUSH_SOFT_TOKENS = 4000;
const DEFAULT_RESERVE_TOKENS_FLOOR = 20_000;

export type MemoryFlushEntry = Pick<
  SessionEntry,
  'totalTokens' | 'totalTokensFresh' | 'compactionCount' | 'memoryFlushCompactionCount'
>;

/**
 * Whether the agent should save what matters before its context is compacted: the session fills the window up to the
 * reserve and the soft threshold, and no flush was made since the last compaction. A figure marked as not fresh is
 * none.
 */
export function shouldRunMemoryFlush(params: {
  entry?: MemoryFlushEntry;
  contextWindowTokens: number;
  reserveTokensFloor: number;
  softThresholdTokens: number;
}): boolean {
  const { entry } = params;
  const totalTokens = entry?.totalTokens;
  if (!entry || typeof totalTokens !== 'number' || !(totalTokens > 0)) return false;
  if (entry.totalTokensFresh === false) return false;
  const threshold =
    Math.max(1, Math.floor(params.contextWindowTokens)) -
    Math.max(0, Math.floor(params.reserveTokensFloor)) -
    Math.max(0, Math.floor(params.softThresholdTokens));
  // Also false for a threshold that is no number: a window of unknown size gives no reason to flush.
  if (!(threshold > 0) || !(totalTokens >= threshold)) return false;
  return entry.memoryFlushCompactionCount !== (entry.compactionCount ?? 0);
}

export interface MemoryFlushSettings {
  softThresholdTokens: number;
  reserveTokensFloor: number;
  /** Whether groups are flushed. */
  inGroups: boolean;
  /** Whether sessions are flushed whose agent cannot write to its workspace. */
  inReadOnly: boolean;
  /** Only where configured; otherwise the caller that runs the flush uses its own text. */
  prompt?: string;
  systemPrompt?: string;
}

/** The part of the configuration that speaks of flushing, in OpenClaw's spelling. */
export interface MemoryFlushConfig {
  agents?: { defaults?: { compaction?: CompactionConfig } };
}

interface CompactionConfig {
  reserveTokensFloor?: number;
  memoryFlush?: MemoryFlushOptions;
}

interface MemoryFlushOptions {
  enabled?: boolean;
  softThresholdTokens?: number;
  /** true */
  inGroups?: boolean;
  /** false: there is no file to keep a memory in. */
  inReadOnly?: boolean;
  prompt?: string;
  systemPrompt?: string;
}

/** Null when flushing is switched off. Figures that are negative or no numbers give way to the defaults. */
export function resolveMemoryFlushSettings(cfg?: MemoryFlushConfig): MemoryFlushSettings | null {
  const compaction = cfg?.agents?.defaults?.compaction;
  const flush = compaction?.memoryFlush;
  if (flush?.enabled === false) return null;
  const prompt = readText(flush?.prompt);
  const systemPrompt = readText(flush?.systemPrompt);
  return {
    softThresholdTokens: readCount(flush?.softThresholdTokens) ?? DEFAULT_MEMORY_FLUSH_SOFT_TOKENS,
    reserveTokensFloor: readCount(compaction?.reserveTokensFloor) ?? DEFAULT_RESERVE_TOKENS_FLOOR,
    inGroups: flush?.inGroups !== false,
    inReadOnly: flush?.inReadOnly === true,
    ...(prompt === '' ? {} : { prompt }),
    ...(systemPrompt === '' ? {} : { systemPrompt }),
  };
}

function readCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const count = Math.floor(value);
  return count >= 0 ? count : undefined;
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

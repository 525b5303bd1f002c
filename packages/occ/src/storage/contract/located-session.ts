import type { StoredSession } from '@openbot/sessions';
import { percentOf } from '@openbot/sessions/terminal-text';
import type { ContextWindow, FoundSession, SourceName, StorageKind } from './found-session.ts';

/** What the names of files, their state and the index say of a session, before its transcript is opened. */
export interface LocatedSession {
  readonly source: SourceName;
  readonly agentId: string | null;
  readonly sessionId: string;
  /** The file's name without `.jsonl`: it tells the topics of one session apart. */
  readonly stem: string;
  readonly path: string;
  /** `path` is a database. */
  readonly storage?: StorageKind;
  /** Milliseconds, with their fraction. */
  readonly updatedAt: number;
  /** 0 for a session in a database: there it is known only once the transcript was opened. */
  readonly sizeBytes: number;
  readonly missing: boolean;
  readonly cold?: boolean;
  /** What the index says of it, under every key that leads to it, the one used last first. */
  readonly entries: readonly StoredSession[];
  /** The index, where it is not `sessions.json` beside the transcript. */
  readonly indexPath?: string;
  /** The key that led to it before that key led to another session. It is no name for this one any more. */
  readonly formerKey?: string;
  /** Its program keeps sessions in another storage now: where that knows a name too, this session is not meant. */
  readonly isOutdated?: boolean;
  /** What its transcript says, where that was read already. */
  readonly opened?: OpenedTranscript;
}

export interface OpenedTranscript {
  readonly sizeBytes: number;
  readonly cwd: string | undefined;
}

export const NO_ENTRIES: readonly StoredSession[] = [];

type Draft = { -readonly [Field in keyof FoundSession]: FoundSession[Field] };

/** What the transcript itself says, as far as it was read. */
interface OwnWords {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly title?: string;
}

/** A located session as it is printed. Fields without a value are left out. */
export function describeLocated(located: LocatedSession, own: OwnWords = {}): FoundSession {
  const { storage, missing, cold, entries, formerKey, indexPath } = located;
  const sessionKey = entries[0]?.key ?? formerKey;
  const label = findText(located, 'label');
  const displayName = findText(located, 'displayName') ?? own.title;
  const window = findWindow(located);
  const found = { sessionId: own.sessionId ?? located.sessionId } as Draft;
  if (sessionKey !== undefined) found.sessionKey = sessionKey;
  found.agentId = located.agentId;
  found.source = located.source;
  found.path = located.path;
  if (storage !== undefined) found.storage = storage;
  if (indexPath !== undefined) found.indexPath = indexPath;
  found.cwd = own.cwd ?? null;
  found.updatedAt = Math.floor(located.updatedAt);
  found.sizeBytes = located.sizeBytes;
  if (label !== undefined) found.label = label;
  if (displayName !== undefined) found.displayName = displayName;
  if (window !== undefined) found.window = window;
  if (formerKey !== undefined) found.former = true;
  if (cold) found.cold = true;
  if (missing) found.missing = true;
  return found;
}

/** A text that the index holds of a session, from the newest entry that has it. */
function findText({ entries }: LocatedSession, field: 'label' | 'displayName'): string | undefined {
  for (const { entry } of entries) {
    const value: unknown = entry[field];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** From the newest entry that names one. What is used is known only of the session that the entry leads to now. */
function findWindow({ entries }: LocatedSession): ContextWindow | undefined {
  const found = entries.find(({ entry }) => isCount(entry.contextTokens));
  if (found === undefined) return undefined;
  const { contextTokens, totalTokens, totalTokensFresh } = found.entry as Record<string, unknown>;
  const tokens = contextTokens as number;
  if (!isCount(totalTokens)) return { tokens };
  const percent = percentOf(totalTokens, tokens);
  return { tokens, used: totalTokens, percent, ...(totalTokensFresh === false ? { estimated: true } : {}) };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

/** Newest first; of equal age a session that can be opened first, then by path and id. */
export function compareByAge(a: LocatedSession, b: LocatedSession): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  if (a.missing !== b.missing) return a.missing ? 1 : -1;
  return compareTexts(a.path, b.path) || compareTexts(a.sessionId, b.sessionId);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

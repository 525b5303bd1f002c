import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OpenBotError } from '../errors.ts';
import { isSessionId } from './safe-id.ts';

export const STORE_FILE_NAME = 'sessions.json';

const ARCHIVE_REASONS = ['reset', 'deleted', 'bak', 'damaged'] as const;
export type ArchiveReason = (typeof ARCHIVE_REASONS)[number];

/** What a file in a sessions folder is, by its name alone. Only the two transcript kinds are conversations. */
export type SessionFileName =
  | { kind: 'transcript'; sessionId: string }
  | { kind: 'topic-transcript'; sessionId: string; topicId: string }
  | { kind: 'store' }
  | { kind: 'lock'; target: string }
  | { kind: 'backup'; sessionId: string; number: number }
  | { kind: 'trajectory'; sessionId: string }
  | { kind: 'checkpoint'; sessionId: string }
  | {
      kind: 'archive';
      reason: ArchiveReason;
      /** The name that the file had before it was archived. */
      target: string;
      sessionId?: string;
      topicId?: string;
      /** Milliseconds; absent when the name's timestamp is of another style. */
      archivedAt?: number;
    }
  | { kind: 'temp' }
  | { kind: 'other' };

/** Half-written files, stale locks on their way out and the guards that protect those. */
const LEFTOVER = /\.(?:tmp|claimed|claim)$/;
const ARCHIVE = /^(.+?\.jsonl?)\.(reset|deleted|bak|damaged)\.(.+)$/;
const ARCHIVE_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(\.\d{1,3})?Z$/;
const TRAJECTORY = /^(.+)\.trajectory(?:\.jsonl|-path\.json)$/;
const CHECKPOINT = /^(.+?)\.checkpoint\..+\.jsonl$/;
const BACKUP = /^(.+)\.backup\.(\d{1,15})\.jsonl$/;
const TOPIC = /^(.+?)-topic-(.+)\.jsonl$/;
const TRANSCRIPT = /^(.+)\.jsonl$/;
/** Nearly all transcripts; no other pattern fits such a name. */
const UUID_TRANSCRIPT = /^[0-9a-f-]{36}\.jsonl$/;

export function classifySessionFileName(name: string): SessionFileName {
  if (UUID_TRANSCRIPT.test(name) && isSessionId(name.slice(0, 36)))
    return { kind: 'transcript', sessionId: name.slice(0, 36) };
  if (name === STORE_FILE_NAME) return { kind: 'store' };
  if (LEFTOVER.test(name)) return { kind: 'temp' };
  if (name.endsWith('.lock') && name.length > 5) return { kind: 'lock', target: name.slice(0, -5) };
  return classifyArchive(name) ?? classifyJsonl(name) ?? { kind: 'other' };
}

function classifyArchive(name: string): SessionFileName | undefined {
  const match = ARCHIVE.exec(name);
  if (!match) return undefined;
  const [, target, reason, stamp] = match as unknown as [string, string, ArchiveReason, string];
  const of = target === STORE_FILE_NAME ? undefined : classifyJsonl(target);
  const archivedAt = parseArchiveTime(stamp);
  return {
    kind: 'archive',
    reason,
    target,
    ...(of !== undefined && 'sessionId' in of && of.sessionId !== undefined
      ? { sessionId: of.sessionId }
      : {}),
    ...(of?.kind === 'topic-transcript' ? { topicId: of.topicId } : {}),
    archivedAt,
  };
}

function classifyJsonl(name: string): SessionFileName | undefined {
  let match = TRAJECTORY.exec(name);
  if (match) return { kind: 'trajectory', sessionId: match[1]! };
  match = CHECKPOINT.exec(name);
  if (match) return { kind: 'checkpoint', sessionId: match[1]! };
  match = BACKUP.exec(name);
  if (match) return { kind: 'backup', sessionId: match[1]!, number: Number(match[2]) };
  match = TOPIC.exec(name);
  if (match && isSessionId(match[1])) {
    return { kind: 'topic-transcript', sessionId: match[1], topicId: decodeTopicId(match[2]!) };
  }
  match = TRANSCRIPT.exec(name);
  if (match && isSessionId(match[1])) return { kind: 'transcript', sessionId: match[1] };
  return undefined;
}

function decodeTopicId(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function parseArchiveTime(stamp: string): number | undefined {
  if (/^\d{12,14}$/.test(stamp)) return Number(stamp);
  const match = ARCHIVE_TIME.exec(stamp);
  if (!match) return undefined;
  const [, day, hours, minutes, seconds, fraction = ''] = match;
  const ms = Date.parse(`${day}T${hours}:${minutes}:${seconds}${fraction}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `<fileName>.<reason>.<ISO time with its colons as dashes>`. */
export function archiveFileName(fileName: string, reason: ArchiveReason, atMs: number): string {
  const at = new Date(atMs);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 0 || at.getUTCFullYear() > 9999) {
    throw new OpenBotError('INVALID_ARGUMENT', `${atMs} is not a time that a file name can carry`);
  }
  return `${fileName}.${reason}.${at.toISOString().replaceAll(':', '-')}`;
}

/** Whether a file of that name in a sessions folder is a transcript, of a session or of a topic. */
export function isTranscriptFileName(name: string): boolean {
  const { kind } = classifySessionFileName(name);
  return kind === 'transcript' || kind === 'topic-transcript';
}

/** Its name, at `at` or the first free millisecond after it. The transcript's lock must be held. */
export async function findFreeArchivePath(path: string, reason: ArchiveReason, at: number): Promise<string> {
  for (let ms = at; ; ms++) {
    const candidate = join(dirname(path), archiveFileName(basename(path), reason, ms));
    if ((await lstat(candidate).catch(() => undefined)) === undefined) return candidate;
  }
}

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { readFileStart } from '@openbot/sessions/transcript';
import type { TranscriptHead } from '../contract/finding.ts';

/** A header or a first message is rarely longer than the first step. */
const STEPS = [4 * 1024, 64 * 1024, 1024 * 1024];
const LINE_FEED = 0x0a;
const OPENING_BRACE = 0x7b;

const firstStep = Buffer.allocUnsafe(STEPS[0]!);

/**
 * Reads no further than needed. Undefined where the file cannot be read; a head without values where its lines say
 * nothing.
 */
export function readTranscriptHead(path: string): TranscriptHead | undefined {
  let head: TranscriptHead | undefined;
  for (const size of STEPS) {
    const bytes = size === firstStep.length ? firstStep : Buffer.allocUnsafe(size);
    let count: number;
    try {
      count = readFileStart(path, bytes);
    } catch {
      return undefined;
    }
    head = interpretLines(bytes, count, count < size);
    if (isComplete(head) || count < size) break;
  }
  return head;
}

interface OpenedFile {
  readonly stats: Stats;
  readonly head: TranscriptHead | undefined;
}

/** The state and the head of a file, with one look-up of its path. Undefined where it is not a readable file. */
export function readStateAndHead(path: string): OpenedFile | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) return undefined;
      const count = readSync(fd, firstStep, 0, firstStep.length, 0);
      const isFull = count === Math.min(stats.size, firstStep.length);
      return {
        stats,
        head: (isFull ? interpretStart(firstStep, count) : undefined) ?? readTranscriptHead(path),
      };
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/**
 * The head in the first `count` bytes, which were read already; undefined where the rest of the file may say more.
 */
export function interpretStart(bytes: Buffer, count: number): TranscriptHead | undefined {
  const isWhole = count < bytes.length;
  const head = interpretLines(bytes, count, isWhole);
  return isWhole || isComplete(head) ? head : undefined;
}

const NOTHING_KNOWN: TranscriptHead = { dialect: undefined, sessionId: undefined, cwd: undefined };

/** @param count how many of the bytes are of this file */
function interpretLines(bytes: Buffer, count: number, isWhole: boolean): TranscriptHead {
  let head = NOTHING_KNOWN;
  let at = 0;
  while (at < count && !isComplete(head)) {
    const lineEnd = bytes.indexOf(LINE_FEED, at);
    const isCut = lineEnd < 0 || lineEnd >= count;
    if (isCut && !isWhole) break;
    const end = isCut ? count : lineEnd;
    // Failures of the parser are slow, and another file may have thousands of lines that are no objects.
    if (bytes[at] === OPENING_BRACE) head = interpretLine(bytes.toString('utf8', at, end), head);
    at = end + 1;
  }
  return head;
}

/** The head in the first line of a transcript. */
export function interpretFirstLine(text: string): TranscriptHead {
  return interpretLine(text, NOTHING_KNOWN);
}

/** OpenClaw and pi have a header; Claude Code repeats the values in the lines of the conversation. */
function isComplete({ dialect, cwd }: TranscriptHead): boolean {
  return dialect === 'openclaw' || (dialect === 'claude-code' && cwd !== undefined);
}

function interpretLine(text: string, head: TranscriptHead): TranscriptHead {
  const line = parseObject(text);
  if (line === undefined) return head;
  if (head.dialect === undefined && line.type === 'session') {
    return { dialect: 'openclaw', sessionId: textOf(line.id), cwd: textOf(line.cwd) };
  }
  if (typeof line.uuid === 'string' || typeof line.sessionId === 'string') {
    return {
      dialect: 'claude-code',
      sessionId: head.sessionId ?? textOf(line.sessionId),
      cwd: head.cwd ?? textOf(line.cwd),
    };
  }
  // A conversation without a header: linear lines, or a transcript that lost its first line.
  const isMessage = line.type === 'message' || typeof line.role === 'string' || line.content !== undefined;
  return head.dialect === undefined && isMessage ? { ...head, dialect: 'openclaw' } : head;
}

/** Undefined where a line is not a JSON object or array. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Builds the lines that we write: pi's format, version 3, with fields in the order in which pi writes them. */
import { OpenBotError } from '../errors.ts';

const TRANSCRIPT_VERSION = 3;

type MessageContent = string | readonly unknown[];

/** A message as agents store it. Only `role` is looked at; the rest is carried. */
export type TranscriptMessage = { role: string; content?: MessageContent; timestamp?: number } & Record<
  string,
  unknown
>;

/** What is to be appended, before it has an id and a place in the tree. */
export type EntryDraft =
  | { type: 'message'; message: TranscriptMessage }
  | { type: 'model_change'; provider: string; modelId: string }
  | { type: 'thinking_level_change'; thinkingLevel: string }
  | {
      type: 'compaction';
      summary: string;
      tokensBefore: number;
      /** The first entry that stays in the context. Without it nothing before the compaction stays. */
      firstKeptEntryId?: string;
      details?: unknown;
      usage?: unknown;
      fromHook?: boolean;
      /** The system message in force, for transcripts that hold one. */
      systemMessage?: TranscriptMessage;
    }
  | { type: 'custom'; customType: string; data?: unknown }
  | {
      type: 'custom_message';
      customType: string;
      content: MessageContent;
      display: boolean;
      details?: unknown;
    }
  | { type: 'label'; targetId: string; label?: string }
  | { type: 'session_info'; name: string };

interface EntryLinks {
  /** Absent in a linear transcript, whose lines have no ids. */
  id?: string;
  /** null for a root; absent where the line before has no id to name. */
  parentId?: string | null;
  /** ISO 8601. */
  timestamp: string;
}

interface HeaderParts {
  sessionId: string;
  cwd: string;
  timestamp: string;
  parentSession?: string;
}

export function composeHeader(parts: HeaderParts): Record<string, unknown> {
  return {
    type: 'session',
    version: TRANSCRIPT_VERSION,
    id: parts.sessionId,
    timestamp: parts.timestamp,
    cwd: parts.cwd,
    parentSession: parts.parentSession,
  };
}

export function composeEntry(draft: EntryDraft, links: EntryLinks): Record<string, unknown> {
  const { id, parentId, timestamp } = links;
  const placed = { id, parentId, timestamp };
  switch (draft.type) {
    case 'message':
      return { type: draft.type, ...placed, message: draft.message };
    case 'model_change':
      return { type: draft.type, ...placed, provider: draft.provider, modelId: draft.modelId };
    case 'thinking_level_change':
      return { type: draft.type, ...placed, thinkingLevel: draft.thinkingLevel };
    case 'compaction':
      return {
        type: draft.type,
        ...placed,
        summary: draft.summary,
        firstKeptEntryId: draft.firstKeptEntryId ?? id,
        tokensBefore: draft.tokensBefore,
        details: draft.details,
        usage: draft.usage,
        fromHook: draft.fromHook,
        systemMessage: draft.systemMessage,
      };
    case 'custom':
      return { type: draft.type, customType: draft.customType, data: draft.data, ...placed };
    case 'custom_message':
      return {
        type: draft.type,
        customType: draft.customType,
        content: draft.content,
        display: draft.display,
        details: draft.details,
        ...placed,
      };
    case 'label':
      return { type: draft.type, ...placed, targetId: draft.targetId, label: draft.label };
    case 'session_info':
      return { type: draft.type, ...placed, name: draft.name.replace(/[\r\n]+/g, ' ').trim() };
  }
}

const REQUIRED: { [T in EntryDraft['type']]: Readonly<Record<string, string>> } = {
  message: { message: 'object' },
  model_change: { provider: 'string', modelId: 'string' },
  thinking_level_change: { thinkingLevel: 'string' },
  compaction: { summary: 'string', tokensBefore: 'number' },
  custom: { customType: 'string' },
  custom_message: { customType: 'string', display: 'boolean' },
  label: { targetId: 'string' },
  session_info: { name: 'string' },
};

/** Refuses what agents would choke on: a line is read by all of them for as long as the transcript lives. */
export function assertDraft(draft: EntryDraft): void {
  const required = Object.hasOwn(REQUIRED, draft?.type) ? REQUIRED[draft.type] : undefined;
  if (required === undefined)
    throw refuse(`${JSON.stringify(draft?.type)} is not a type of entry that can be appended`);
  const fields = draft as unknown as Record<string, unknown>;
  for (const [name, type] of Object.entries(required)) {
    if (typeof fields[name] !== type || fields[name] === null)
      throw refuse(`${draft.type}: ${name} must be of type ${type}`);
  }
  if (draft.type === 'message' && typeof draft.message.role !== 'string')
    throw refuse('message: role must be a string');
  if (draft.type === 'custom_message' && typeof draft.content !== 'string' && !Array.isArray(draft.content)) {
    throw refuse('custom_message: content must be a string or an array');
  }
}

function refuse(message: string, cause?: unknown): OpenBotError {
  return new OpenBotError('INVALID_ARGUMENT', message, { hint: 'Nothing was written.', cause });
}

/** The entry that a draft points at, which must exist in the transcript it is appended to. */
export function targetOfDraft(draft: EntryDraft): string | undefined {
  if (draft.type === 'label') return draft.targetId;
  return draft.type === 'compaction' ? draft.firstKeptEntryId : undefined;
}

/**
 * One line with its line feed. JSON escapes every line feed inside strings; other separators are ordinary
 * characters.
 */
export function composeLine(entry: Record<string, unknown>): string {
  try {
    return `${JSON.stringify(entry)}\n`;
  } catch (cause) {
    throw refuse(`${String(entry.type)} cannot be written as JSON: ${(cause as Error).message}`, cause);
  }
}

export function composeUserMessage(content: MessageContent, timestampMs: number): TranscriptMessage {
  return { role: 'user', content, timestamp: timestampMs };
}

interface DeliveredMessage {
  text?: string;
  mediaUrls?: readonly string[];
}

/**
 * The message that records in a transcript what was delivered on a channel without the model: undefined when
 * there was nothing to deliver. Media are named by their file names only; their addresses may hold secrets.
 */
export function composeDeliveryMirror(
  delivered: DeliveredMessage,
  timestampMs: number,
): TranscriptMessage | undefined {
  const text = describeDelivered(delivered);
  if (text === undefined) return undefined;
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: 'openai-responses',
    provider: 'openclaw',
    model: 'delivery-mirror',
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: timestampMs,
  };
}

function describeDelivered({ text = '', mediaUrls = [] }: DeliveredMessage): string | undefined {
  const urls = mediaUrls.filter((url) => url.trim() !== '');
  const names = urls.map(fileNameOfMedia).filter((name) => name !== '');
  const media = urls.length === 0 ? '' : names.length === 0 ? 'media' : names.join(', ');
  const said = [text.trim(), media].filter((part) => part !== '').join('\n');
  return said === '' ? undefined : said;
}

function fileNameOfMedia(url: string): string {
  if (/^data:/i.test(url.trim())) return '';
  const path = url
    .trim()
    .split(/[?#]/, 1)[0]!
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  try {
    return lastSegment(decodeURIComponent(lastSegment(path))).trim();
  } catch {
    return lastSegment(path);
  }
}

function lastSegment(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

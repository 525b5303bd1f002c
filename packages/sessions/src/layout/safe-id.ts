import { type ErrorCode, OpenBotError } from '../errors.ts';
import { DEFAULT_AGENT_ID, normalizeAgentId } from '../key/normalize.ts';

const MAX_SESSION_ID_LENGTH = 128;
/** Room for `.deleted.<timestamp>`, `.lock` and temp suffixes within the 255 bytes that file systems allow. */
const MAX_FILE_NAME_BYTES = 200;

const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
/** Endings that would make the transcript of one id look like a file that belongs to another. */
const RESERVED_IN_SESSION_ID = /-topic-.|\.trajectory$|\.checkpoint\.|\.backup\.\d+$/;

/** What would make a topic's transcript look like another kind of file. */
const RESERVED_IN_TOPIC_ID =
  /\.trajectory$|\.checkpoint\.|\.backup\.\d+$|\.jsonl?\.(?:reset|deleted|bak|damaged)\./;

function quote(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function refuseEscape(what: string, id: string, code: ErrorCode = 'PATH_ESCAPES_FOLDER'): void {
  if (/[/\\\0]/.test(id) || id === '.' || id === '..') {
    throw new OpenBotError(code, `${what} ${quote(id)} is not a plain name`, {
      hint: `It names one file or folder: no "/", "\\", NUL, "." or "..".`,
    });
  }
}

/** Returns `sessionId` unchanged when `<sessionId>.jsonl` is a safe, unambiguous file name on every platform. */
export function assertSessionId(sessionId: unknown): string {
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw new OpenBotError('INVALID_SESSION_ID', `session id ${quote(sessionId)} is not a non-empty string`, {
      hint: 'A session id is usually a uuid.',
    });
  }
  refuseEscape('session id', sessionId, 'INVALID_SESSION_ID');
  if (sessionId.length > MAX_SESSION_ID_LENGTH) {
    throw new OpenBotError('INVALID_SESSION_ID', `session id ${quote(sessionId)} is too long`, {
      hint: `At most ${MAX_SESSION_ID_LENGTH} characters.`,
    });
  }
  if (!SESSION_ID.test(sessionId)) {
    throw new OpenBotError(
      'INVALID_SESSION_ID',
      `session id ${quote(sessionId)} has characters that are not allowed`,
      {
        hint: 'Letters, digits, ".", "_" and "-", with a letter or digit at both ends.',
      },
    );
  }
  if (WINDOWS_DEVICE.test(sessionId) || RESERVED_IN_SESSION_ID.test(sessionId)) {
    throw new OpenBotError('INVALID_SESSION_ID', `session id ${quote(sessionId)} is reserved`, {
      hint: 'Its file name would mean something else: a device, a topic, a trajectory, a checkpoint or a backup.',
    });
  }
  return sessionId;
}

export function isSessionId(sessionId: unknown): sessionId is string {
  try {
    assertSessionId(sessionId);
    return true;
  } catch {
    return false;
  }
}

/** `<sessionId>.jsonl`, or `<sessionId>-topic-<topicId>.jsonl` with the topic percent-encoded as OpenClaw does. */
export function transcriptFileName(sessionId: string, topicId?: string | number): string {
  const base = assertSessionId(sessionId);
  const name = topicId === undefined ? `${base}.jsonl` : `${base}-topic-${encodeTopicId(topicId)}.jsonl`;
  if (Buffer.byteLength(name) > MAX_FILE_NAME_BYTES) {
    throw new OpenBotError('INVALID_ARGUMENT', `topic id ${quote(topicId)} is too long for a file name`, {
      hint: `Session id and topic id together may take ${MAX_FILE_NAME_BYTES} bytes.`,
    });
  }
  return name;
}

function encodeTopicId(topicId: string | number): string {
  if (typeof topicId === 'number' ? !Number.isSafeInteger(topicId) : typeof topicId !== 'string') {
    throw new OpenBotError(
      'INVALID_ARGUMENT',
      `topic id ${quote(topicId)} is neither an integer nor a string`,
    );
  }
  const text = String(topicId);
  if (text === '') {
    throw new OpenBotError('INVALID_ARGUMENT', 'topic id is empty', {
      hint: 'Leave it out for the main transcript.',
    });
  }
  refuseEscape('topic id', text);
  if (!text.isWellFormed()) {
    throw new OpenBotError('INVALID_ARGUMENT', `topic id ${quote(text)} is not well-formed text`);
  }
  const encoded = encodeURIComponent(text);
  return RESERVED_IN_TOPIC_ID.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded;
}

/**
 * The folder name of an agent: its id as in session keys, `main` when empty. A value that tries to leave the agents
 * folder is refused instead of being bent into a name.
 */
export function resolveAgentFolderName(agentId?: string | null): string {
  if (agentId !== undefined && agentId !== null && typeof agentId !== 'string') {
    throw new OpenBotError('INVALID_ARGUMENT', `agent id ${quote(agentId)} is not a string`);
  }
  const raw = (agentId ?? '').trim();
  if (raw === '') return DEFAULT_AGENT_ID;
  refuseEscape('agent id', raw);
  const name = normalizeAgentId(raw);
  if (WINDOWS_DEVICE.test(name)) {
    throw new OpenBotError('INVALID_ARGUMENT', `agent id ${quote(raw)} is reserved`, {
      hint: 'Windows keeps this name for a device; choose another.',
    });
  }
  return name;
}

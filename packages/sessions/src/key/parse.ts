import { isKeyText, MAX_SESSION_KEY_LENGTH } from './key-text.ts';
import { DEFAULT_MAIN_KEY, normalizeAgentId } from './normalize.ts';
import type {
  DirectSpelling,
  ParsedAgentKey,
  ParsedSessionKey,
  ThreadKey,
  ThreadMarker,
} from './parsed-key.ts';
import {
  CRON_JOB_OF_RUN_POSITION,
  CRON_JOB_POSITION,
  CRON_RUN_POSITION,
  PEER_POSITION,
  THREAD_POSITION,
  THREAD_WORDS,
  unquoteId,
} from './quote-id.ts';

interface ParsedAgentSessionKey {
  agentId: string;
  rest: string;
}

export interface ParseSessionKeyOptions {
  /** The configured main key. `main` is taken for the main session beside it. */
  mainKey?: string;
}

const PEER_KINDS: ReadonlySet<string> = new Set(['dm', 'direct', 'group', 'channel']);
const OWN_FORMS: ReadonlySet<string> = new Set(['subagent', 'cron', 'hook', 'clone']);

/**
 * Splits `agent:<agentId>:<rest>`, in lower case; null for everything else. An agent id that normalisation would
 * change is no agent id: it names a folder, so it is never repaired silently on the way in.
 */
export function parseAgentSessionKey(sessionKey: string | null | undefined): ParsedAgentSessionKey | null {
  const text = readWholeKey(sessionKey);
  if (!text?.startsWith('agent:')) return null;
  const idEnd = text.indexOf(':', 'agent:'.length);
  if (idEnd < 0) return null;
  const agentId = text.slice('agent:'.length, idEnd);
  const rest = text.slice(idEnd + 1);
  if (agentId === '' || rest === '' || normalizeAgentId(agentId) !== agentId) return null;
  return { agentId, rest };
}

/**
 * The parts of a key, in lower case. Null for what is no key: not text, malformed, too long, with control characters.
 * `formatSessionKey` gives back exactly the key that was parsed.
 */
export function parseSessionKey(
  sessionKey: string | null | undefined,
  options: ParseSessionKeyOptions = {},
): ParsedSessionKey | null {
  const text = readWholeKey(sessionKey);
  if (text === 'global' || text === 'unknown') return { kind: text };
  const parsed = parseAgentSessionKey(text);
  if (!parsed) return null;
  const mainKey = options.mainKey?.trim().toLowerCase() || DEFAULT_MAIN_KEY;
  return readRest(parsed.agentId, parsed.rest, mainKey);
}

function readWholeKey(sessionKey: unknown): string | null {
  if (typeof sessionKey !== 'string') return null;
  const text = sessionKey.trim().toLowerCase();
  return text.length <= MAX_SESSION_KEY_LENGTH && isKeyText(text) ? text : null;
}

function readRest(agentId: string, rest: string, mainKey: string): ParsedAgentKey {
  const tokens = rest.split(':');
  return (
    readThread(agentId, tokens, mainKey) ??
    (rest === mainKey || rest === DEFAULT_MAIN_KEY ? { kind: 'main', agentId, mainKey: rest } : undefined) ??
    readOwnSession(agentId, tokens) ??
    readPeer(agentId, tokens) ?? { kind: 'other', agentId, rest }
  );
}

/** The last marker that has a whole key before it and an id behind it counts: a thread may hang off a thread. */
function readThread(agentId: string, tokens: string[], mainKey: string): ThreadKey | undefined {
  const start = countLeadingTokens(tokens);
  const at = tokens.findLastIndex(
    (token, index) =>
      index >= start &&
      THREAD_WORDS.has(token) &&
      joinTo(tokens, index) !== '' &&
      joinFrom(tokens, index + 1) !== '',
  );
  if (at < 0) return undefined;
  const parentRest = joinTo(tokens, at);
  return {
    kind: 'thread',
    agentId,
    marker: tokens[at] as ThreadMarker,
    threadId: unquoteId(joinFrom(tokens, at + 1), THREAD_POSITION),
    parentKey: `agent:${agentId}:${parentRest}`,
    parent: readRest(agentId, parentRest, mainKey),
  };
}

/** The shortest beginning that can be a key of its own: `dm` alone is none, since it demands a peer. */
function countLeadingTokens([first = '', second = '', third = '']: string[]): number {
  if (first === 'dm' || first === 'direct' || OWN_FORMS.has(first)) return 2;
  if (PEER_KINDS.has(second)) return 3;
  return PEER_KINDS.has(third) && !THREAD_WORDS.has(second) ? 4 : 1;
}

function readOwnSession(agentId: string, tokens: string[]): ParsedAgentKey | undefined {
  const written = joinFrom(tokens, 1);
  if (written === '') return undefined;
  switch (tokens[0]) {
    case 'subagent':
      return { kind: 'subagent', agentId, name: unquoteId(written, PEER_POSITION) };
    case 'hook':
      return { kind: 'hook', agentId, hookId: unquoteId(written, PEER_POSITION) };
    case 'clone':
      return { kind: 'clone', agentId, cloneId: unquoteId(written, PEER_POSITION) };
    case 'cron':
      return readCron(agentId, tokens.slice(1));
    default:
      return undefined;
  }
}

function readCron(agentId: string, tokens: string[]): ParsedAgentKey | undefined {
  const at = tokens.findLastIndex(
    (token, index) => index > 0 && token === 'run' && joinFrom(tokens, index + 1) !== '',
  );
  if (at < 0) return { kind: 'cron', agentId, jobId: unquoteId(tokens.join(':'), CRON_JOB_POSITION) };
  const job = joinTo(tokens, at);
  if (job === '') return undefined;
  return {
    kind: 'cron',
    agentId,
    jobId: unquoteId(job, CRON_JOB_OF_RUN_POSITION),
    runId: unquoteId(joinFrom(tokens, at + 1), CRON_RUN_POSITION),
  };
}

function readPeer(agentId: string, tokens: string[]): ParsedAgentKey | undefined {
  const [first = '', second = '', third = ''] = tokens;
  if (first === 'dm' || first === 'direct') {
    const peerId = unquoteId(joinFrom(tokens, 1), PEER_POSITION);
    return peerId === ''
      ? undefined
      : { kind: 'direct', agentId, scope: 'per-peer', spelling: first, peerId };
  }
  if (tokens.length === 1) {
    if (PEER_KINDS.has(first) || OWN_FORMS.has(first) || THREAD_WORDS.has(first)) return undefined;
    const peerId = unquoteId(first, PEER_POSITION);
    return { kind: 'direct', agentId, scope: 'per-peer', spelling: 'bare', peerId };
  }
  if (first === '') return undefined;
  if (PEER_KINDS.has(second)) return readChannelPeer(agentId, first, undefined, second, joinFrom(tokens, 2));
  if (second === '' || !PEER_KINDS.has(third)) return undefined;
  return readChannelPeer(agentId, first, second, third, joinFrom(tokens, 3));
}

function readChannelPeer(
  agentId: string,
  channel: string,
  accountId: string | undefined,
  peerKind: string,
  written: string,
): ParsedAgentKey | undefined {
  if (written === '') return undefined;
  const peerId = unquoteId(written, PEER_POSITION);
  const account = accountId === undefined ? {} : { accountId };
  if (peerKind === 'group' || peerKind === 'channel') {
    return { kind: peerKind, agentId, channel, ...account, peerId };
  }
  const scope = accountId === undefined ? 'per-channel-peer' : 'per-account-channel-peer';
  const spelling = peerKind as DirectSpelling;
  return { kind: 'direct', agentId, scope, spelling, channel, ...account, peerId };
}

function joinFrom(tokens: string[], start: number): string {
  return tokens.slice(start).join(':');
}

function joinTo(tokens: string[], end: number): string {
  return tokens.slice(0, end).join(':');
}

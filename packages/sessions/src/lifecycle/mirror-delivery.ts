import { lstat } from 'node:fs/promises';
import type { LockOptions } from '../disk/lock.ts';
import { OpenBotError } from '../errors.ts';
import { parseAgentSessionKey } from '../key/parse.ts';
import { type LayoutOptions, resolveDefaultSessionStorePath } from '../layout/paths.ts';
import type { SessionStore } from '../store/contract.ts';
import { composeDeliveryMirror, type TranscriptMessage } from '../transcript/compose.ts';
import { appendToTranscript } from '../transcript-file/append.ts';
import { ensureTranscript } from '../transcript-file/create.ts';
import { repairTranscriptHeader } from '../transcript-file/header.ts';
import { type AgentSessions, openAgentSessions, readOwnKey } from './agent-sessions.ts';
import { type CurrentTranscript, withCurrentTranscript } from './archive/current-transcript.ts';
import { type Clock, type ClockParams, readClock } from './clock.ts';
import { changeEntry } from './entry-updates/change-entry.ts';

type MirrorResult = { ok: true; sessionFile: string } | { ok: false; reason: string; code?: string };

type MirrorParams = ClockParams &
  LayoutOptions & {
    /** Read from the key where that names an agent. */
    agentId?: string;
    /** The configured name of the main session. `main`. */
    mainKey?: string;
    sessionKey: string;
    text?: string;
    mediaUrls?: readonly string[];
    /** Without it, the agent's own store. */
    storePath?: string;
    store?: SessionStore;
    /** For the header of a transcript that does not exist yet. process.cwd(). */
    cwd?: string;
    lock?: LockOptions;
  };

/**
 * Puts a message that was delivered without the model into the session's transcript, where the agent will find that it
 * was said. Never throws for what can be wrong with it or with the session: the message is already delivered.
 */
export async function appendAssistantMessageToSessionTranscript(params: MirrorParams): Promise<MirrorResult> {
  const clock = readClock(params);
  try {
    assertDelivered(params);
    const message = composeDeliveryMirror(params, clock.now);
    if (message === undefined) return { ok: false, reason: 'there is neither text nor media' };
    const agentId = params.agentId ?? parseAgentSessionKey(params.sessionKey)?.agentId;
    const storePath = params.storePath ?? resolveDefaultSessionStorePath(agentId, params);
    const agent = openAgentSessions({ storePath, store: params.store, agentId, mainKey: params.mainKey });
    const sessionKey = readOwnKey(agent, params.sessionKey);
    const sessionFile = await withCurrentTranscript(agent, sessionKey, params.lock, (current) =>
      appendMirror(agent, current, message, clock, params),
    );
    return { ok: true, sessionFile };
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    return { ok: false, reason: error.message, code: error.code };
  }
}

function assertDelivered({ text, mediaUrls }: MirrorParams): void {
  if (text !== undefined && typeof text !== 'string') {
    throw new OpenBotError('INVALID_ARGUMENT', `text must be text, not ${typeof text}`);
  }
  const isList = Array.isArray(mediaUrls) && mediaUrls.every((url) => typeof url === 'string');
  if (mediaUrls !== undefined && !isList) {
    throw new OpenBotError('INVALID_ARGUMENT', 'mediaUrls must be a list of addresses');
  }
}

async function appendMirror(
  agent: AgentSessions,
  { key, entry, path }: CurrentTranscript,
  message: TranscriptMessage,
  clock: Clock,
  params: MirrorParams,
): Promise<string> {
  const { sessionId } = entry;
  const now = () => clock.now;
  const transcript = { path, sessionId, cwd: params.cwd ?? process.cwd(), now };
  const isNew = await ensureTranscript(transcript);
  // A program that was killed before its first line leaves an empty file: there is nothing in it to be mistaken for.
  if (!isNew && (await lstat(path)).size === 0)
    await repairTranscriptHeader({ ...transcript, lock: params.lock });
  await appendToTranscript(path, { type: 'message', message }, { now, lock: params.lock });
  if (entry.sessionFile === path) return path;
  const change = { sessionKey: key, sessionId, isActivity: false, patch: () => ({ sessionFile: path }) };
  await changeEntry(agent, clock, change);
  return path;
}

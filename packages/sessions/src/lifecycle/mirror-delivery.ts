import type { LockOptions } from '../disk/lock-file.ts';
import { type ErrorCode, OpenBotError } from '../errors.ts';
import { parseAgentSessionKey } from '../key/parse.ts';
import { type LayoutOptions, resolveDefaultSessionStorePath } from '../layout/paths.ts';
import type { SessionStore } from '../store/contract.ts';
import { composeDeliveryMirror, type TranscriptMessage } from '../transcript/compose.ts';
import { appendToTranscript } from '../transcript-file/append.ts';
import { ensureTranscript } from '../transcript-file/create.ts';
import { changeEntry } from './change-entry.ts';
import { type CurrentTranscript, withCurrentTranscript } from './current-transcript.ts';
import { type Moment, type MomentParams, readMoment } from './moment.ts';
import { openPlace, readOwnKey, type SessionPlace } from './session-place.ts';

export type MirrorResult =
  | { ok: true; sessionFile: string }
  | { ok: false; reason: string; code?: ErrorCode };

export type MirrorParams = MomentParams &
  LayoutOptions & {
    /** Told from the key where that names an agent. */
    agentId?: string | undefined;
    sessionKey: string;
    text?: string | undefined;
    mediaUrls?: readonly string[] | undefined;
    /** Without it, the agent's own store. */
    storePath?: string | undefined;
    store?: SessionStore | undefined;
    /** For the header of a transcript that does not exist yet. process.cwd(). */
    cwd?: string | undefined;
    lock?: LockOptions | undefined;
  };

/**
 * Puts a message that was delivered without the model into the session's transcript, where the agent will find that it
 * was said. Never throws for what can go wrong with a session: the message is already delivered.
 */
export async function appendAssistantMessageToSessionTranscript(params: MirrorParams): Promise<MirrorResult> {
  const moment = readMoment(params);
  const message = composeDeliveryMirror(params, moment.now);
  if (message === undefined) return { ok: false, reason: 'there is neither text nor media' };
  try {
    const agentId = params.agentId ?? parseAgentSessionKey(params.sessionKey)?.agentId;
    const storePath = params.storePath ?? resolveDefaultSessionStorePath(agentId, params);
    const place = openPlace({ storePath, store: params.store, agentId });
    const sessionKey = readOwnKey(place, params.sessionKey);
    const sessionFile = await withCurrentTranscript(place, sessionKey, params.lock, (current) =>
      appendMirror(place, current, message, moment, params),
    );
    return { ok: true, sessionFile };
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    return { ok: false, reason: error.message, code: error.code };
  }
}

async function appendMirror(
  place: SessionPlace,
  { key, entry, path }: CurrentTranscript,
  message: TranscriptMessage,
  moment: Moment,
  params: MirrorParams,
): Promise<string> {
  const { sessionId } = entry;
  const now = () => moment.now;
  await ensureTranscript({ path, sessionId, cwd: params.cwd ?? process.cwd(), now });
  await appendToTranscript(path, { type: 'message', message }, { now, lock: params.lock });
  if (entry.sessionFile === path) return path;
  const change = { sessionKey: key, sessionId, isActivity: false, patch: () => ({ sessionFile: path }) };
  await changeEntry(place, moment, change);
  return path;
}

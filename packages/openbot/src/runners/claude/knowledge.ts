import { hash } from 'node:crypto';
import {
  bindsThinking,
  type EntryDraft,
  type TranscriptMessage,
  textsOf,
} from '@openbot/sessions/transcript';
import type { PathEntry } from '../../transcripts/contract.ts';
import type { OwnSettings, RunRequest } from '../contract.ts';
import { declareTools } from './own-tools.ts';

/** The line that says what Claude Code's own session knows: `custom` with this type and a ClaudeMark. */
const CLAUDE_MARK = 'openbot.claude';

/** `running` is written before Claude Code is given a message, `idle` when it has answered or was stopped in order. */
type ClaudeMark =
  | { readonly state: 'running'; readonly sdkSessionId: string }
  | {
      readonly state: 'idle';
      readonly sdkSessionId: string;
      /** Of the transcript, when the session had read it up to here. */
      readonly generation: string;
      /** Ids of entries before the mark that it has not read: others wrote them during the run. */
      readonly missed: readonly string[];
      /** Of the prompt that all of its thinking was made behind. Absent where that is not known, and after a compaction. */
      readonly prompt?: string;
    };

/** What Claude Code's session knows of a conversation. */
export interface Knowledge {
  /** The session to go on with. Undefined where there is none, or one that knows something else than the transcript says. */
  readonly sessionId: string | undefined;
  /** A process died while it worked in this session. */
  readonly crashedId?: string;
  /** What the session has not read, without the prompt. */
  readonly unread: readonly TranscriptMessage[];
  readonly promptId: string | undefined;
  /** The last entry that was looked at. */
  readonly lastId: string | undefined;
  readonly generation: string;
  /** What a session that goes on, or begins, has all its thinking behind. */
  readonly prompt: string | undefined;
}

/** Entries that the model does not read. All others but messages change what it reads of the entries before. */
const PASSIVE = new Set(['custom', 'label', 'model_change', 'thinking_level_change', 'session_info']);

/**
 * Compares the transcript with what Claude Code's session was last given. The transcript is the truth: where it was
 * rewritten since, or a run was cut off, the session is given up. Where the model binds thinking it is also given up if the
 * prompt is another one.
 * @param prompt `hashPrompt` of the request
 */
export async function findKnowledge(request: RunRequest, prompt: string): Promise<Knowledge> {
  const { id } = request.ownSession;
  const { generation, entries } = await request.lookBack();
  const { found, mark, isChanged, lastId } = await collectSince(entries, id !== undefined);
  const { prompt: asked, others: unread } = takePrompt(found, request.prompt);
  const known = { promptId: asked?.id, lastId, generation, unread, prompt };
  if (id === undefined || isChanged) return { ...known, sessionId: undefined };
  const isBound = bindsThinking(request.model.model, { byClaudeCode: true });
  if (mark?.state === 'running') return { ...known, sessionId: undefined, crashedId: mark.sdkSessionId };
  if (isBound && mark?.prompt !== prompt) return { ...known, sessionId: undefined };
  // A session of another program, such as OpenClaw: it has been given everything.
  if (mark === undefined) return { ...known, sessionId: id, unread: [], prompt: undefined };
  if (mark.generation !== generation) return { ...known, sessionId: undefined };
  return { ...known, sessionId: id, prompt: mark.prompt === prompt ? prompt : undefined };
}

/** Everything that Claude Code tells the model before the conversation and that may change. */
export function hashPrompt({ systemPrompt, tools }: RunRequest, own: OwnSettings): string {
  const told = [systemPrompt.text, declareTools(tools.list), own];
  return hash('sha256', JSON.stringify(told)).slice(0, 16);
}

async function collectSince(entries: AsyncIterable<PathEntry>, hasSession: boolean) {
  const found: PathEntry[] = [];
  const missed = new Set<string>();
  let mark: ClaudeMark | undefined;
  let lastId: string | undefined;
  for await (const entry of entries) {
    lastId ??= entry.id;
    if (mark !== undefined) {
      if (entry.id !== undefined && missed.delete(entry.id)) found.push(entry);
    } else if (entry.customType === CLAUDE_MARK) {
      mark = readMark(entry.data);
      for (const id of mark.state === 'idle' ? mark.missed : []) missed.add(id);
    } else if (isMessage(entry)) found.push(entry);
    else if (!PASSIVE.has(entry.type)) return { found: found.reverse(), mark, lastId, isChanged: true };
    if (mark !== undefined && missed.size === 0) break;
    // Without a session only the prompt is of interest, and the whole context is read afterwards.
    if (!hasSession && found.length > 0) break;
  }
  return { found: found.reverse(), mark, lastId, isChanged: missed.size > 0 };
}

function isMessage({ type, message }: PathEntry): boolean {
  return (type === 'message' || type === 'custom_message') && message !== undefined;
}

/** A mark that cannot be read says nothing about what the session knows. */
function readMark(data: unknown): ClaudeMark {
  const { state, sdkSessionId, generation, missed, prompt } = (data ?? {}) as Record<string, unknown>;
  const id = String(sdkSessionId);
  if (state !== 'idle' || typeof generation !== 'string') return { state: 'running', sdkSessionId: id };
  return {
    state,
    sdkSessionId: id,
    generation,
    missed: Array.isArray(missed) ? missed.map(String) : [],
    ...(typeof prompt === 'string' && { prompt }),
  };
}

/** Parts the prompt from the messages around it. Usually it is the last one. */
function takePrompt(found: readonly PathEntry[], text: string) {
  // A compaction that a person asked for: everything is answered.
  if (text === '') return { prompt: undefined, others: found.map(({ message }) => message!) };
  const isPrompt = ({ message }: PathEntry) =>
    message?.role === 'user' && textsOf(message.content).join('') === text;
  const at = found.findLastIndex(isPrompt);
  const index = at === -1 ? found.findLastIndex(({ message }) => message?.role === 'user') : at;
  const others = found.toSpliced(index === -1 ? found.length : index, 1);
  return { prompt: found[index], others: others.map(({ message }) => message!) };
}

export function markRunning(sdkSessionId: string): EntryDraft {
  const data: ClaudeMark = { state: 'running', sdkSessionId };
  return { type: 'custom', customType: CLAUDE_MARK, data };
}

/**
 * Says that the session has read everything so far.
 * @param own ids of the entries that the run itself wrote
 * @param unread ids of others that it has not given to the session
 */
export async function markIdle(
  request: RunRequest,
  { lastId, generation, prompt }: Knowledge,
  sdkSessionId: string,
  { own, unread }: { readonly own: ReadonlySet<string>; readonly unread: readonly string[] },
): Promise<EntryDraft> {
  const missed = [...unread];
  for await (const entry of (await request.lookBack()).entries) {
    if (entry.id === undefined || entry.id === lastId) break;
    if (isMessage(entry) && !own.has(entry.id)) missed.push(entry.id);
  }
  const data: ClaudeMark = { state: 'idle', sdkSessionId, generation, missed, prompt };
  return { type: 'custom', customType: CLAUDE_MARK, data };
}

/** The context of the conversation without the prompt. */
export async function readBefore(
  request: RunRequest,
  { promptId }: Knowledge,
): Promise<readonly TranscriptMessage[]> {
  const context = await request.readContext();
  if (request.prompt === '') return context.map(({ message }) => message);
  const index = context.findLastIndex(({ entryId, message }) =>
    promptId === undefined ? message.role === 'user' : entryId === promptId,
  );
  return context.toSpliced(index === -1 ? context.length : index, 1).map(({ message }) => message);
}

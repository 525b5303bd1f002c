import type { SessionRef } from '../../session-address.ts';
import { modelDefaults } from '../model-defaults.ts';
import type { GatewayServices } from '../services.ts';
import { storedOf } from '../sessions/session-ref.ts';
import { transcriptOf } from '../sessions/transcript-of.ts';
import { bytesOf, cutTexts } from './limit-messages.ts';
import { MESSAGE_COUNTS } from './message-counts.ts';
import { type HistoryMessage, readMessagesBack } from './read-messages.ts';

export interface HistoryPage {
  readonly limit?: number;
  /** From the end. */
  readonly offset?: number;
  /** `deltaCursor` of an earlier answer: what came since. */
  readonly cursor?: string;
  /** Of each text. */
  readonly maxChars?: number;
  /** Of all messages together. */
  readonly maxBytes?: number;
}

const LIMIT = 200;
/** As OpenClaw: a page is far smaller than a frame may be. */
const MAX_BYTES = 6 * 1024 * 1024;

/**
 * A page of a conversation, read from its end. Undefined for a session that the caller must not see: it is told the same as of one that
 * does not exist.
 */
export async function readHistory(
  services: GatewayServices,
  session: SessionRef | undefined,
  asked: { readonly key: string; readonly fallbackAgentId: string | undefined },
  page: HistoryPage,
): Promise<object> {
  const { rows } = services;
  const agentId = session?.agentId ?? asked.fallbackAgentId;
  const stored = session && (await storedOf(services, session));
  const about = {
    sessionKey: session?.sessionKey ?? asked.key,
    ...(stored && { sessionId: stored.entry.sessionId }),
  };
  const { offset = 0 } = page;
  const read =
    session === undefined || stored === undefined
      ? { messages: [], total: 0, kind: undefined, deltaCursor: undefined }
      : await readPage(services, transcriptOf(services.stateDir, session, stored), page);
  const { messages, total, deltaCursor, kind } = read;
  const hasMore = kind === undefined && total > offset + messages.length;
  return {
    ...about,
    ...(kind && { kind }),
    messages,
    pendingInputs: session === undefined ? NO_INPUTS : await listPending(services, session),
    ...(deltaCursor !== undefined && { deltaCursor }),
    ...(offset > 0 && { offset }),
    ...(hasMore && { nextOffset: offset + messages.length }),
    hasMore,
    totalMessages: total,
    defaults: modelDefaults(services, agentId === undefined ? [] : [agentId], agentId),
    sessionInfo: (session && (await rows.find(session))) ?? emptyRow(about.sessionKey, agentId),
    ...(session && describeRun(services, session)),
  };
}

const NO_INPUTS = { items: [], total: 0 };

function emptyRow(key: string, agentId: string | undefined): object {
  return { key, kind: 'direct', agentId, updatedAt: null, hasActiveRun: false, activeRunIds: [] };
}

async function readPage(
  { state: { transcripts } }: GatewayServices,
  ref: ReturnType<typeof transcriptOf>,
  { limit = LIMIT, offset = 0, cursor, maxChars, maxBytes = MAX_BYTES }: HistoryPage,
) {
  const total = await MESSAGE_COUNTS.count(ref.sessionFile);
  const { generation } = await transcripts.lookBack(ref);
  const since = cursor === undefined ? undefined : readCursor(cursor, ref.sessionId, generation);
  const messages: HistoryMessage[] = [];
  let bytes = 0;
  let lastId: string | undefined;
  let skipped = 0;
  let isDelta = false;
  for await (const message of readMessagesBack(transcripts, ref, total)) {
    const { id } = message.__openclaw;
    lastId ??= id;
    if (since !== undefined && id === since) {
      isDelta = true;
      break;
    }
    if (skipped++ < offset) continue;
    const shown = maxChars === undefined ? message : cutTexts(message, maxChars);
    bytes += bytesOf(shown);
    // One that is too large alone is shown all the same: a page without it would never end.
    if (messages.length >= limit || (bytes > maxBytes && messages.length > 0)) break;
    messages.push(shown);
  }
  const isLatest = offset === 0;
  const deltaCursor =
    isLatest && lastId !== undefined ? writeCursor([ref.sessionId, generation, lastId]) : undefined;
  return { messages: messages.reverse(), total, deltaCursor, kind: isDelta ? 'delta' : undefined };
}

function writeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The id of the last message that its owner has. Undefined where the conversation is another one by now. */
function readCursor(cursor: string, sessionId: string, generation: string): string | undefined {
  try {
    const [ofSession, ofGeneration, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return ofSession === sessionId && ofGeneration === generation ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Messages that wait for their turn. */
async function listPending({ state }: GatewayServices, session: SessionRef): Promise<object> {
  const waiting = (await state.inbox.waiting(session)).filter(({ state: at }) => at !== 'running');
  const items = waiting.map(({ identity, ctx, receivedAt }) => ({
    runId: identity.messageId,
    text: ctx.RawBody ?? ctx.Body ?? '',
    createdAt: receivedAt,
  }));
  return { items, total: items.length };
}

function describeRun({ runs }: GatewayServices, session: SessionRef): object {
  const run = runs.ofSession(session).find(({ turnId }) => turnId !== undefined);
  if (run === undefined) return {};
  const { runId, text, acceptedAt, startedAt = acceptedAt } = run;
  return { inFlightRun: { runId, text, startedAt, events: [] } };
}

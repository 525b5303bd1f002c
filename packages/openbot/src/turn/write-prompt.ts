import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import type { InboxMessage, MessageKind, SystemEvent } from '../inbox/contract.ts';
import type { PromptImage } from '../media/read-image.ts';
import type { ModelChoice } from '../runners/contract.ts';
import { addressOf } from '../session-address.ts';
import { isHistory, listUnanswered, toHistoryEntry, toTurnEntry } from './history/group-history.ts';
import { DEFAULT_GROUP_HISTORY_LIMIT, type HistoryEntry } from './history/history-entries.ts';
import { buildInboundBody } from './inbound/build-inbound-body.ts';
import { finalizeInboundContext } from './inbound/finalize-inbound-context.ts';
import { showMedia } from './inbound/show-media.ts';
import type { TurnSession } from './init-session.ts';
import type { Turn } from './open-turn.ts';
import { describePreviousRun } from './session-fields/previous-run.ts';

/** What the model reads as the message of the person, with everything that OpenBot adds to it. */
export async function writePrompt(
  turn: Turn,
  ctx: MsgContext,
  session: TurnSession,
  {
    notices,
    media,
    news,
  }: { readonly notices: readonly string[]; readonly media: string; readonly news: readonly string[] },
): Promise<string> {
  const { tools, work, agent, message } = turn;
  const at = turn.startedAt;
  const previous = describePreviousRun(session.entry);
  const own = [...(previous === undefined ? [] : [previous]), ...session.notices, ...notices];
  const events: SystemEvent[] = [
    ...(await tools.inbox.takeEvents(addressOf(work), work.turnId)),
    ...own.map((text) => ({ text, at })),
  ];
  const { channel, conversationId: conversation } = message.identity;
  return buildInboundBody({
    ctx: { Timestamp: message.receivedAt, ...ctx },
    body: session.body,
    media,
    note: work.note,
    group: session.isGroup ? { channel, conversation } : undefined,
    history: await readHistory(turn, session.isGroup),
    events,
    news: { lines: news, at },
    channelSummary: tools.summarizeChannels(work.agentId),
    timeZone: agent.userTimezone,
    isMainSession: isMain(session.sessionKey) && !isGroupMessage(ctx),
    isNewSession: session.isNewSession,
  });
}

/** What the model reads during a run: the text that the message would begin a turn with, without what only a turn has. */
export async function writeSteered(
  turn: Turn,
  message: InboxMessage,
  { afterSeq, model }: { readonly afterSeq: number; readonly model: ModelChoice },
): Promise<{ readonly text: string; readonly images: readonly PromptImage[] }> {
  const { tools, agent } = turn;
  const { channel, conversationId: conversation } = message.identity;
  const ctx = finalizeInboundContext(message.ctx, tools.mentions);
  const unread = isGroupMessage(ctx) ? await readUnread(turn, message, limitOf(turn)) : [];
  const { images, note } = await showMedia(tools.stateDir, ctx, model);
  const text = buildInboundBody({
    ctx: { Timestamp: message.receivedAt, ...ctx },
    media: note,
    body: tools.stripInside(message, ctx.BodyForAgent),
    group: { channel, conversation },
    history: unread.filter(({ seq }) => seq > afterSeq).map(toHistoryEntry),
    timeZone: agent.userTimezone,
    isMainSession: false,
    isNewSession: false,
  });
  return { text, images };
}

/**
 * What comes before the message that is answered: the other messages of the turn and, up to the limit, what the group
 * said since the last answer.
 */
async function readHistory(turn: Turn, isGroup: boolean): Promise<HistoryEntry[]> {
  const { message, tools } = turn;
  const own = turn.work.messages.slice(0, -1);
  const toOwnEntry = (one: InboxMessage) => {
    const entry = toTurnEntry(one);
    return { ...entry, body: tools.stripInside(one, entry.body) };
  };
  const limit = isGroup ? limitOf(turn) : 0;
  const unread = limit > 0 ? await readUnread(turn, message, limit + own.length) : [];
  const others = unread.filter(({ seq }) => own.every((one) => one.seq !== seq)).slice(-limit);
  return [...others, ...own]
    .sort((a, b) => a.seq - b.seq)
    .map((one) => (own.includes(one) ? toOwnEntry(one) : toHistoryEntry(one)));
}

/** The inbox has it, so it is there after a restart too. Topics of a group are sessions of their own. */
async function readUnread({ tools }: Turn, before: InboxMessage, limit: number): Promise<InboxMessage[]> {
  const { identity, sessionKey } = before;
  const found: InboxMessage[] = [];
  // What is no history does not count.
  for (let beforeSeq = before.seq; found.length < limit; ) {
    const page = await tools.inbox.recent(identity, limit, { sessionKey, beforeSeq });
    // What was asked of the bot itself is no turn of the agent: it has still to read what was said before.
    const said = page.filter((one) => !isForBot(tools.kindOf(one)));
    const unread = listUnanswered(said);
    found.unshift(...unread.filter(isHistory));
    if (page.length < limit || unread.length < said.length) break;
    beforeSeq = page[0]!.seq;
  }
  return found.slice(Math.max(0, found.length - limit));
}

function isForBot(kind: MessageKind): boolean {
  return kind === 'aside' || kind === 'upkeep' || kind === 'stop';
}

function limitOf({ tools }: Turn): number {
  return Math.max(0, tools.config.messages?.groupChat?.historyLimit ?? DEFAULT_GROUP_HISTORY_LIMIT);
}

function isMain(sessionKey: string): boolean {
  return sessionKey === 'global' || /^agent:[^:]+:[^:]+$/.test(sessionKey);
}

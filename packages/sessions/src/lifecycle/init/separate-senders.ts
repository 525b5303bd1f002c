import { buildCloneSessionKey } from '../../key/build.ts';
import {
  isFormerKeyOf,
  type RecordedSender,
  readFormerKey,
  readOwnKey,
  readSenderId,
} from '../../key/former-case.ts';
import { resolveLinkedPeerId } from '../../key/identity-links.ts';
import type { NormalizeId } from '../../key/person-entry.ts';
import { listSessionKeySpellings } from '../../key/spellings.ts';
import { readStoredKey } from '../../key/stored-key.ts';
import type { MsgContext } from '../../message/msg-context.ts';
import type { SessionConfig } from '../../policy/session-config.ts';
import type { StoreDraft, StoredSession } from '../../store/contract.ts';
import type { AgentSessions } from '../agent-sessions.ts';
import { readExactFrom, readMessageChannel } from '../entry-updates/inbound-meta.ts';
import { type EntrySource, locateEntry } from '../locate-entry.ts';

/** Whose names stand in keys in the place of ids. */
export interface Links {
  readonly identityLinks?: SessionConfig['identityLinks'];
  readonly normalizeId?: NormalizeId;
}

/** A message that a person wrote, and the key of its session or of another one that it leads to. */
export interface Visit {
  readonly agent: AgentSessions;
  readonly sessionKey: string;
  readonly ctx: MsgContext;
  /** Only people's messages say whose session it is. */
  readonly isSystemEvent: boolean;
  readonly links: Links;
}

/** The key of a message that was routed when senders whose ids differ by case shared one. */
export function readSenderKey({ sessionKey, ctx, isSystemEvent, links }: Omit<Visit, 'agent'>): string {
  const sender = readSender(ctx);
  if (isSystemEvent || !ctx.From || isLinked(sender, links)) return sessionKey;
  return isFormerKeyOf(sessionKey, sender) ? readOwnKey(sessionKey, sender) : sessionKey;
}

/**
 * Senders whose ids differ by case once shared an entry. It is that of the sender whom it names, and moves to their key
 * before one of them is answered. One that may be of several goes to a key that no sender has: nobody goes on in the
 * conversation of another.
 */
export async function separateSenders(draft: StoreDraft, visit: Visit): Promise<void> {
  const { agent, sessionKey } = visit;
  for (;;) {
    const found = await findFormer(draft, visit);
    const owner = found && readOwner(found, visit.ctx, visit.links);
    if (found === undefined || owner === 'as it is') return;
    const key = owner !== undefined && draft.get(owner) === undefined ? owner : undefined;
    const isInTheWay = listSessionKeySpellings(sessionKey).includes(readStoredKey(found.key));
    if (key === undefined && !isInTheWay) return;
    draft.set(key ?? nameAside(agent, found), found.entry as Parameters<StoreDraft['set']>[1]);
    draft.delete(found.key);
  }
}

/** The session that a key had before it was separated from that of others; undefined where that is another's. */
export async function locateOwn(source: EntrySource, visit: Visit): Promise<StoredSession | undefined> {
  const { agent, sessionKey } = visit;
  const former = await findFormer(source, visit);
  const owner = former && readOwner(former, visit.ctx, visit.links);
  if (former === undefined || owner === 'as it is') return locateEntry(source, sessionKey, agent);
  const found = await locateEntry(source, sessionKey, agent);
  if (found !== undefined && found.key !== former.key) return found;
  return owner !== undefined && listSessionKeySpellings(sessionKey).includes(owner) ? former : undefined;
}

/** Whether an entry may be said to be the sender's: one under a former key may be that of another. */
export function mayClaim(session: StoredSession, ctx: MsgContext): boolean {
  return readOwner(session, ctx, {}) === 'as it is';
}

async function findFormer(source: EntrySource, visit: Visit): Promise<StoredSession | undefined> {
  const { agent, sessionKey, ctx, isSystemEvent, links } = visit;
  if (isSystemEvent || !ctx.From || isLinked(readSender(ctx), links)) return undefined;
  return locateEntry(source, readFormerKey(sessionKey), agent);
}

/** The key of the sender to whom an entry under a former key belongs; undefined where nobody can tell. */
function readOwner(
  { key, entry }: StoredSession,
  ctx: MsgContext,
  links: Links,
): string | 'as it is' | undefined {
  const former = readStoredKey(key);
  const { provider, threadId } = entry.origin ?? {};
  const from = readExactFrom(entry.origin ?? {});
  const owner: RecordedSender = { provider, from, threadId };
  if (from !== undefined) {
    // The key is then a name of the configuration.
    if (isLinked(owner, links)) return 'as it is';
    const own = readOwnKey(former, owner);
    return own === former ? 'as it is' : own;
  }
  // An entry that names no sender, such as one made anew of a transcript's header, is that of its key. So is one whose key a
  // caller chose. An id that was cut may be that of several.
  const isCut = typeof entry.origin?.from === 'string' && isFormerKeyOf(former, readSender(ctx));
  return isCut ? undefined : 'as it is';
}

function readSender(ctx: MsgContext): RecordedSender {
  return { provider: readMessageChannel(ctx), from: ctx.From, threadId: ctx.MessageThreadId };
}

function isLinked(sender: RecordedSender, links: Links): boolean {
  const peerId = readSenderId(sender);
  return peerId !== undefined && resolveLinkedPeerId({ ...links, channel: sender.provider, peerId }) !== null;
}

/** Where an entry of nobody stays in the listing. */
function nameAside({ agentId, bareAgentId }: AgentSessions, { entry }: StoredSession): string {
  return buildCloneSessionKey({ agentId: agentId ?? bareAgentId, cloneId: entry.sessionId });
}

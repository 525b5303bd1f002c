import { parseAgentSessionKey, type SessionStore, type StoredSession } from '@openbot/sessions';
import { listAgentIds } from '../../config/agents.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { addressOf, canonicalRef } from '../../session-address.ts';
import type { BotState } from '../../state/open-state.ts';
import type { KnownSession } from './contract.ts';

/** What a session is chosen and sorted by. Made once for each version of its entry. */
export interface LightRow extends KnownSession {
  readonly address: string;
  readonly updatedAt: number;
  readonly interactionAt: number;
  /** Of the last run or message, as OpenClaw's order `activity` takes it. */
  readonly activityAt: number;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  /** In lower case. */
  readonly searched: string;
}

interface StoreRows {
  readonly settings: string;
  readonly sessions: readonly StoredSession[];
  readonly rows: readonly LightRow[];
}

/**
 * The sessions of all agents. A store hands out the same frozen object for an entry that did not change, so only those that
 * did are looked at again.
 */
export class LightRows {
  readonly #place: { readonly stateDir: string; readonly state: BotState; readonly config: BotConfig };
  readonly #stores = new Map<SessionStore, StoreRows>();
  #all: { readonly of: readonly (readonly LightRow[])[]; readonly rows: readonly LightRow[] } | undefined;

  constructor(place: { readonly stateDir: string; readonly state: BotState; readonly config: BotConfig }) {
    this.#place = place;
  }

  forget(): void {
    this.#stores.clear();
    this.#all = undefined;
  }

  agentIds(): readonly string[] {
    return listAgentIds(this.#place.config, this.#place.stateDir);
  }

  /** In the order of `updatedAt`: pinned ones first, then those that were used last. */
  async sorted(): Promise<readonly LightRow[]> {
    const lists = await Promise.all(this.#openEach().map(({ agentId, store }) => this.#read(agentId, store)));
    const isSame =
      this.#all?.of.length === lists.length && lists.every((list, at) => list === this.#all!.of[at]);
    if (!isSame) this.#all = { of: lists, rows: dropSpellings(lists.flat()).sort(byUpdate) };
    return this.#all!.rows;
  }

  /** Agents may share one. */
  #openEach(): readonly { readonly agentId: string; readonly store: SessionStore }[] {
    const opened = new Map<SessionStore, string>();
    for (const agentId of this.agentIds()) {
      const store = this.#place.state.storeOf(agentId);
      if (!opened.has(store)) opened.set(store, agentId);
    }
    return [...opened].map(([store, agentId]) => ({ agentId, store }));
  }

  async #read(agentId: string, store: SessionStore): Promise<readonly LightRow[]> {
    const { mainKey, scope } = this.#place.config.session ?? {};
    const settings = JSON.stringify([agentId, mainKey, scope]);
    const sessions = await store.list();
    const before = this.#stores.get(store);
    const isComparable = before?.settings === settings;
    if (isComparable && isSameList(before.sessions, sessions)) return before.rows;
    const known = isComparable ? new Map(before.rows.map((row) => [row.stored.entry, row])) : undefined;
    const rows = sessions.map((session) => {
      const had = known?.get(session.entry);
      if (had?.stored.key === session.key) return had;
      return makeLight(session, agentId, { mainKey, scope });
    });
    this.#stores.set(store, { settings, sessions, rows });
    return rows;
  }
}

function isSameList(one: readonly StoredSession[], other: readonly StoredSession[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) {
    if (one[at]!.entry !== other[at]!.entry || one[at]!.key !== other[at]!.key) return false;
  }
  return true;
}

export function makeLight(
  stored: StoredSession,
  storeAgentId: string,
  settings: NonNullable<BotConfig['session']>,
): LightRow {
  const { key, entry } = stored;
  const { ref, address } = nameOf(key, storeAgentId, settings);
  const { archivedAt, pinnedAt } = entry as { archivedAt?: unknown; pinnedAt?: unknown };
  const updatedAt = entry.updatedAt ?? 0;
  const interactionAt = entry.lastInteractionAt ?? 0;
  const names = [ref.sessionKey, key, entry.sessionId, entry.label, entry.displayName, entry.subject];
  return {
    ref,
    address,
    stored,
    updatedAt,
    interactionAt,
    activityAt: Math.max(entry.lastActivityAt ?? 0, interactionAt) || updatedAt,
    isPinned: typeof pinnedAt === 'number',
    isArchived: typeof archivedAt === 'number',
    searched: [...names, entry.groupChannel, entry.origin?.label].join('\n').toLowerCase(),
  };
}

/** A key that no message is accepted under is still listed. */
function nameOf(key: string, storeAgentId: string, settings: NonNullable<BotConfig['session']>) {
  const agentId = parseAgentSessionKey(key)?.agentId ?? storeAgentId;
  try {
    const ref = canonicalRef(settings, { agentId, sessionKey: key });
    return { ref, address: addressOf(ref) };
  } catch {
    return { ref: { agentId, sessionKey: key }, address: `${agentId} ${key}` };
  }
}

/** A conversation may be stored under several spellings of its key; the one that was used last counts. */
function dropSpellings(rows: readonly LightRow[]): LightRow[] {
  const best = new Map<string, LightRow>();
  for (const row of rows) {
    const other = best.get(row.address);
    if (other === undefined || row.updatedAt > other.updatedAt) best.set(row.address, row);
  }
  return [...best.values()];
}

function byUpdate(one: LightRow, other: LightRow): number {
  return (
    Number(other.isPinned) - Number(one.isPinned) || other.updatedAt - one.updatedAt || byKey(one, other)
  );
}

export function byKey(one: LightRow, other: LightRow): number {
  const [a, b] = [one.ref.sessionKey, other.ref.sessionKey];
  return a < b ? -1 : a > b ? 1 : 0;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionEntry } from '@openbot/sessions';
import { parseSessionKey } from '@openbot/sessions/key';
import {
  findSessionsRoot,
  type LocatedSession,
  locateSessions,
  type SearchScope,
  type SourceName,
} from 'oc-context-cleaner';
import { CONFIG_FILE_NAME } from '../config/bot-config.ts';
import { readSessionLayout } from '../config/session-layout.ts';
import { isOpenclaws } from '../index-db/index-path.ts';
import { readKeptEntry } from '../kept-sessions/files/kept-entry.ts';
import { isArchive, locateArchives, locateSubagents } from './session-archives.ts';

/** The program that made the folder. */
export type IndexedSource = 'openbot' | SourceName;

/** A place with sessions that are indexed together. */
export interface SessionsPlace {
  readonly source: IndexedSource;
  /** The state folder, or the folder with all sessions of that program. */
  readonly root: string;
  /** Those of conversations that were reset, and of subagents, too. Throws CONFIG_UNREADABLE where it cannot be known where they are. */
  locate(): Promise<LocatedSession[]>;
}

type PlaceScope = Pick<SearchScope, 'env' | 'cwd' | 'warn'>;

export function placeOfState(stateDir: string, scope: PlaceScope): SessionsPlace {
  return {
    source: isOpenclaws(stateDir, scope.env) ? 'openclaw' : 'openbot',
    root: stateDir,
    locate: async () => {
      const { env, cwd } = scope;
      // Another folder than the usual one may be named in it, whose sessions must not be taken for deleted.
      const warn = existsSync(join(stateDir, CONFIG_FILE_NAME)) ? undefined : (scope.warn ?? (() => {}));
      const ownLayout = readSessionLayout(stateDir, { env, cwd, warn });
      const sessions = locateSessions({
        ...scope,
        ownLayout,
        stateDirFlag: stateDir,
        allAgents: true,
        source: 'openclaw',
      });
      return [...sessions, ...locateArchives(stateDir, sessions)];
    },
  };
}

/** Where another program keeps its sessions; undefined where this user has none of it. */
export function placeOfProgram(source: SourceName, scope: PlaceScope): SessionsPlace | undefined {
  const search = { ...scope, source, allAgents: source === 'openclaw' || undefined };
  const root = findSessionsRoot(source, search);
  if (root === undefined) return undefined;
  const locate = async () => {
    const sessions = locateSessions(search);
    if (source === 'openclaw') return [...sessions, ...locateArchives(root, sessions)];
    return source === 'claude' ? [...sessions, ...locateSubagents(sessions)] : sessions;
  };
  return { source, root, locate };
}

/** What an index keeps of a session beside its lines. */
export interface SessionTraits {
  readonly sessionId: string;
  readonly agentId: string | null;
  readonly sessionKey: string | null;
  readonly channel: string | null;
  readonly label: string | null;
  readonly title: string | null;
}

/** @param before what the index had of it, under this name or its former one */
export function traitsOf(session: LocatedSession, before: SessionTraits | undefined): SessionTraits {
  const { sessionId, agentId, entries, formerKey, path } = session;
  // No store knows a session that was reset.
  if (isArchive(path) && before !== undefined) return before;
  const stored = entries[0] ?? (isArchive(path) ? readKeptEntry(path) : undefined);
  const sessionKey = stored?.key ?? formerKey ?? null;
  return {
    sessionId,
    agentId,
    sessionKey,
    channel: channelOf(sessionKey, stored?.entry),
    label: textOf(stored?.entry.label),
    title: textOf(stored?.entry.displayName),
  };
}

/** The key says it where it names a network; that of a main session is where people last wrote from. */
export function channelOf(sessionKey: string | null, entry?: Partial<SessionEntry>): string | null {
  const { channel, lastChannel, deliveryContext } = entry ?? {};
  const told = textOf(channel) ?? textOf(lastChannel) ?? textOf(deliveryContext?.channel);
  if (told !== null || sessionKey === null) return told;
  const parsed = parseSessionKey(sessionKey);
  return textOf((parsed as { channel?: unknown } | null)?.channel);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

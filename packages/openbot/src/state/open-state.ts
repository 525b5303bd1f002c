import {
  openFileSessionStore,
  openMemorySessionStore,
  resolveStorePath,
  type SessionStore,
} from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type ChannelNotesStore, openMemoryNotes, openSqliteNotes } from '../channel-notes/channel-notes.ts';
import { canonicalTarget } from '../channels/spellings.ts';
import type { Cooldowns } from '../cooldowns/contract.ts';
import { openFileCooldowns } from '../cooldowns/files/file-cooldowns.ts';
import { openMemoryCooldowns } from '../cooldowns/memory/memory-cooldowns.ts';
import { openBotDatabase } from '../database/bot-database.ts';
import type { Inbox } from '../inbox/contract.ts';
import { openMemoryInbox } from '../inbox/memory/memory-inbox.ts';
import { openSqliteInbox } from '../inbox/sqlite/sqlite-inbox.ts';
import type { Outbox } from '../outbox/contract.ts';
import { openMemoryOutbox } from '../outbox/memory/memory-outbox.ts';
import { openSqliteOutbox } from '../outbox/sqlite/sqlite-outbox.ts';
import type { RunLock } from '../run-lock/contract.ts';
import { openFileRunLock } from '../run-lock/files/file-run-lock.ts';
import { openMemoryRunLock } from '../run-lock/memory/memory-run-lock.ts';
import { openStoreCare } from '../store-care/tend-store.ts';
import type { Transcripts } from '../transcripts/contract.ts';
import { openFileTranscripts } from '../transcripts/files/file-transcripts.ts';
import { openMemoryTranscripts } from '../transcripts/memory/memory-transcripts.ts';
import { refuseDatabaseFolder } from './refuse-database-folder.ts';

/** Everything that turns keep. */
export interface BotState {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly runLock: RunLock;
  readonly transcripts: Transcripts;
  readonly cooldowns: Cooldowns;
  readonly notes: ChannelNotesStore;
  /** The same one for each call with the same agent. */
  storeOf(agentId: string): SessionStore;
  /** Names the store of an agent, also where it is not a file. */
  storePathOf(agentId: string): string;
  /** Waits for the writes that were asked for. Nothing of the state may be used afterwards. */
  close(): Promise<void>;
}

export interface StateOptions {
  /** `session.store` of the configuration. */
  readonly store?: string;
  readonly env?: Environment;
  /** Of the processes of the gateway: stores are copied now and then, and torn ones made anew. Hears of what was done. */
  readonly careReport?: (message: string) => void;
}

/**
 * The state in a folder, which several processes may have open. Missing folders are made. Throws SESSION_UNSUPPORTED, and
 * makes nothing, where OpenClaw keeps the sessions of the folder in its database.
 */
export async function openState(
  stateDir: string,
  { store, env = {}, careReport }: StateOptions = {},
): Promise<BotState> {
  await refuseDatabaseFolder(stateDir, env);
  const database = await openBotDatabase(stateDir);
  const paths = new Map<string, string>();
  const pathOf = (agentId: string) => {
    const path = paths.get(agentId) ?? resolveStorePath(store, { agentId, stateDir, env });
    paths.set(agentId, path);
    return path;
  };
  const care = careReport && openStoreCare({ stateDir, env }, { report: careReport });
  const open = (path: string) => {
    const opened = openFileSessionStore(path);
    return care === undefined ? opened : care.tend(opened, path);
  };
  return combine(
    {
      inbox: openSqliteInbox(database),
      outbox: openSqliteOutbox(database, canonicalTarget),
      runLock: openFileRunLock(stateDir),
      transcripts: openFileTranscripts(stateDir, pathOf),
      cooldowns: openFileCooldowns(stateDir),
      notes: openSqliteNotes(database),
    },
    { pathOf, open },
    async () => {
      await care?.idle();
      await database.close();
    },
  );
}

/** A state that is gone when it is closed. For tests. */
export function openMemoryState(): BotState {
  return combine(
    {
      inbox: openMemoryInbox(),
      outbox: openMemoryOutbox(canonicalTarget),
      runLock: openMemoryRunLock(),
      transcripts: openMemoryTranscripts(),
      cooldowns: openMemoryCooldowns(),
      notes: openMemoryNotes(),
    },
    { pathOf: (agentId) => `memory:${agentId}`, open: () => openMemorySessionStore() },
    async () => {},
  );
}

function combine(
  parts: Omit<BotState, 'storeOf' | 'storePathOf' | 'close'>,
  { pathOf, open }: { pathOf(agentId: string): string; open(path: string): SessionStore },
  closeLast: () => Promise<void>,
): BotState {
  const stores = new Map<string, SessionStore>();
  return {
    ...parts,
    storePathOf: pathOf,
    storeOf: (agentId) => {
      // Agents may share one.
      const path = pathOf(agentId);
      const store = stores.get(path) ?? open(path);
      stores.set(path, store);
      return store;
    },
    close: async () => {
      const all = [
        parts.inbox,
        parts.outbox,
        parts.runLock,
        parts.transcripts,
        parts.cooldowns,
        ...stores.values(),
      ];
      await Promise.all(all.map((part) => part.close()));
      await closeLast();
    },
  };
}

import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError, type SessionStore } from '@openbot/sessions';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { LastGoodCopies } from './last-good.ts';
import { agentOfOwnStore, type OwnFolder } from './own-stores.ts';
import { type RebuiltStore, rebuildStore } from './rebuild-store.ts';

/** A program that takes no lock may be in the middle of a write. */
const LOOKS = 4;
const BETWEEN_LOOKS_MS = 500;

export interface StoreCare {
  /** The store with a copy kept of it, and made anew where its file is torn. The same store where it is not our own. */
  tend(store: SessionStore, storePath: string): SessionStore;
  /** Resolves when no copy is being made. */
  idle(): Promise<void>;
}

/** For the processes of the gateway alone: all others report a store that does not parse. */
export function openStoreCare(
  folder: OwnFolder,
  {
    report,
    now = Date.now,
    betweenLooksMs = BETWEEN_LOOKS_MS,
  }: { report(message: string): void; now?(): number; readonly betweenLooksMs?: number },
): StoreCare {
  const isOwn = (storePath: string) => agentOfOwnStore(folder, storePath) !== undefined;
  const copies = new LastGoodCopies({ now, report, isOwn });
  const repairs = new Map<string, Promise<boolean>>();
  /** False where it is not ours. */
  const repair = async (storePath: string): Promise<boolean> => {
    const agentId = agentOfOwnStore(folder, storePath);
    if (agentId === undefined) return false;
    // Another process may have made it anew.
    if (!(await staysAsItIs(storePath, betweenLooksMs))) return true;
    const rebuilt = await rebuildStore(storePath, agentId, now());
    if (rebuilt !== undefined) report(describeRebuilt(storePath, rebuilt));
    return true;
  };
  /** Once for all that wait. */
  const repairOnce = (storePath: string) => {
    const running = repairs.get(storePath) ?? repair(storePath).finally(() => repairs.delete(storePath));
    repairs.set(storePath, running);
    return running;
  };
  return {
    tend: (store, storePath) => {
      const attempt = async <T>(use: () => Promise<T>): Promise<T> => {
        try {
          return await use();
        } catch (error) {
          if (!isTornStore(error) || !(await repairOnce(storePath))) throw error;
          return use();
        }
      };
      const write = async <T>(use: () => Promise<T>): Promise<T> => {
        const result = await attempt(use);
        copies.onWritten(storePath);
        return result;
      };
      return {
        get: (key) => attempt(() => store.get(key)),
        list: () => attempt(() => store.list()),
        listUnreadable: () => attempt(() => store.listUnreadable()),
        update: (key, change) => write(() => store.update(key, change)),
        updateMany: (change) => write(() => store.updateMany(change)),
        delete: (key) => write(() => store.delete(key)),
        watch: (listener, onError) => store.watch(listener, onError),
        close: () => store.close(),
      };
    },
    idle: () => copies.idle(),
  };
}

/** Whether an error says that a store does not parse, and not that it cannot be looked at. */
export function isTornStore(error: unknown): boolean {
  return error instanceof OpenBotError && ['STORE_PARSE_FAILED', 'STORE_NOT_AN_OBJECT'].includes(error.code);
}

async function staysAsItIs(path: string, betweenMs: number): Promise<boolean> {
  const look = () => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return `${stat?.ino}:${stat?.size}:${stat?.mtimeNs}`;
  };
  const first = look();
  for (let looks = 1; looks < LOOKS; looks++) {
    await sleep(betweenMs);
    if (look() !== first) return false;
  }
  return true;
}

/** For the owner. */
export function describeRebuilt(
  storePath: string,
  { keptAs, entries, fromLastGood, unknown }: RebuiltStore,
): string {
  const lost =
    unknown.length === 0
      ? ''
      : `; of ${formatQuantity(unknown.length, 'transcript')} nothing says to which conversation it belongs, such as ${unknown[0]}`;
  return `${storePath} did not parse and was made anew: ${formatQuantity(entries, 'session')}, ${fromLastGood} as in its last copy${lost}. The torn file is kept as ${keptAs}`;
}

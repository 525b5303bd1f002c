import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { acquireLock, type HeldLock, inspectLock } from '@openbot/sessions/disk';
import { runLockPathOf } from '@openbot/sessions/layout';
import type { RunLock } from '../contract.ts';

/**
 * One lock file for each session that runs. The lock of a process that lives is never taken from it, however long the run
 * takes or the machine sleeps: a process is known by its id and its start. One that died holds nothing.
 */
export function openFileRunLock(stateDir: string): RunLock {
  const held = new Map<HeldLock, string>();
  const pathOf = (address: string) => runLockPathOf(stateDir, address);
  return {
    acquire: async (address, { waitMs, signal }) => {
      let lock: HeldLock;
      try {
        lock = await acquireLock(pathOf(address), { timeoutMs: waitMs, ...(signal ? { signal } : {}) });
      } catch (error) {
        if (error instanceof OpenBotError && error.code === 'LOCK_TIMEOUT') return undefined;
        throw error;
      }
      held.set(lock, address);
      return {
        address,
        isHeld: () => lock.isHeld(),
        release: async () => {
          held.delete(lock);
          await lock.release();
        },
      };
    },
    holder: async (address) => {
      const lock = inspectLock(pathOf(address));
      if (!lock?.held) return undefined;
      const since = Date.parse(lock.holder.createdAt ?? '');
      return {
        description: lock.who,
        since: Number.isNaN(since) ? undefined : since,
        isOwn: [...held.values()].includes(address),
      };
    },
    running: async (addresses) => {
      const names = listFiles(dirname(pathOf('')));
      const found = new Map<string, number | undefined>();
      if (names.size === 0) return found;
      for (const address of addresses) {
        const lock = names.has(basename(pathOf(address))) ? inspectLock(pathOf(address)) : undefined;
        if (lock?.held) found.set(address, lock.holder.pid);
      }
      return found;
    },
    close: async () => {
      for (const lock of held.keys()) await lock.release();
      held.clear();
    },
  };
}

function listFiles(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch {
    // No session has run yet.
    return new Set();
  }
}

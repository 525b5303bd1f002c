import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspectLock, isHolderAlive, type ProcessIdentity, withLock } from '@openbot/sessions/disk';
import { classifySessionFileName } from '@openbot/sessions/layout';
import type { Check, Finding, Place } from '../contract.ts';
import { moveAside } from '../move-aside.ts';
import { listAgentFiles, readNames } from '../session-files.ts';

/** Enough to see that no process keeps a lock fresh. */
const TAKE_OVER_MS = 400;
/** A write takes no longer. */
const UNFINISHED_MS = 10 * 60 * 1000;

export const staleLocks: Check = {
  name: 'stale-locks',
  about: 'Locks of processes that are gone',
  look: (place) =>
    listFolders(place)
      .flatMap((folder) => readNames(folder).map((name) => join(folder, name)))
      .filter((path) => path.endsWith('.lock'))
      .flatMap((path): Finding[] => {
        const lock = inspectLock(path);
        if (lock === undefined || lock.held) return [];
        const what = `${path} is left of ${lock.who}`;
        // The next process takes it over by itself.
        return [{ severity: 'warning', what, fix: takeOver(path) }];
      }),
};

export const leftovers: Check = {
  name: 'leftovers',
  about: 'Files of writes that were killed',
  look: (place) =>
    listFolders(place)
      .flatMap((folder) => readNames(folder).map((name) => ({ name, path: join(folder, name) })))
      .filter(({ name, path }) => classifySessionFileName(name).kind === 'temp' && isOld(path, place.now))
      .map(({ path }) => ({
        severity: 'warning',
        what: `${path} was never finished`,
        fix: aside(place, path),
      })),
};

export const scheduledEdits: Check = {
  name: 'scheduled-edits',
  about: 'Cleans that wait for the end of a run',
  needs: 'folder',
  look: (place) =>
    listAgentFiles(place).flatMap(({ folder }) =>
      readNames(join(folder, 'backups'))
        .filter((name) => name.endsWith('.occ.json'))
        .flatMap((name): Finding[] => {
          const scheduled = readScheduled(join(folder, 'backups', name));
          const isLost = scheduled?.state === 'waiting' && isHolderAlive(scheduled.process ?? {}) === 'dead';
          if (!isLost) return [];
          const what = `The process that was to clean ${name.replace(/\.occ\.json$/, '')} has ended before it did`;
          return [{ severity: 'warning', what, remedy: 'Clean it again: openbot clean edit' }];
        }),
    ),
};

function listFolders(place: Place): string[] {
  const sessions = listAgentFiles(place).map(({ folder }) => folder);
  return [place.stateDir, join(place.stateDir, 'run-locks'), ...sessions];
}

/** Another process may have taken it since it was looked at: only one that is still stale is taken over. */
function takeOver(path: string) {
  return {
    does: 'Take it over, and let go of it',
    apply: () => withLock(path, { timeoutMs: TAKE_OVER_MS }, () => {}),
  };
}

function aside({ stateDir, now }: Place, path: string) {
  return {
    does: 'Move it to moved-aside/ of the state folder',
    apply: () => moveAside(stateDir, path, now),
  };
}

function isOld(path: string, now: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && now - stats.mtimeMs > UNFINISHED_MS;
}

function readScheduled(path: string): { state?: string; process?: ProcessIdentity } | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { scheduled?: { state?: string } }).scheduled;
  } catch {
    return undefined;
  }
}

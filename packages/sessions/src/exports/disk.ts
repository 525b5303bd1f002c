/** `@openbot/sessions/disk`: locks, atomic writes, processes and signals; knows nothing of sessions. */

// Locks

export type { HeldLock } from '../disk/held-lock.ts';
export { inspectLock } from '../disk/inspect-lock.ts';
export { acquireLock, type LockOptions } from '../disk/lock-file.ts';
export type { LockHolder } from '../disk/lock-record.ts';
export { withLock } from '../disk/with-lock.ts';

// Files and folders

export { writeFileAtomic } from '../disk/atomic-write.ts';
export { giveFolderToOwner, giveToFolderOwner } from '../disk/give-to-owner.ts';
export { makeLeftoverPath } from '../disk/leftover-name.ts';
export { linkNew } from '../disk/link-new.ts';
export { makeFolder } from '../disk/make-folder.ts';
export { sweepLeftovers } from '../disk/sweep-leftovers.ts';
export { syncFolder } from '../disk/sync-folder.ts';

// Processes

export { describeOpenClaude, findOpenClaude, listOpenClaudes } from '../disk/open-claude.ts';
export {
  describeCommand,
  isHolderAlive,
  ownIdentity,
  type ProcessIdentity,
} from '../disk/process-identity.ts';
export { type ProcessStat, readProcessStat } from '../disk/process-stat.ts';

// The end of this process

export { deferEnding, endOnSignals, isSomebodyElses, passOnSignal, undoAtEnding } from '../disk/ending.ts';

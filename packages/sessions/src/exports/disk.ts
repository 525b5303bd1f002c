/** `@openbot/sessions/disk`: locks, atomic writes, processes and signals; knows nothing of sessions. */

// Locks

export type { HeldLock } from '../disk/held-lock.ts';
export { inspectLock } from '../disk/inspect-lock.ts';
export { acquireLock, type LockOptions, withLock } from '../disk/lock.ts';
export type { LockHolder } from '../disk/lock-file.ts';
export { removeSpareLocks, reuseLockFiles } from '../disk/spare-locks.ts';

// Files and folders

export { writeFileAtomic } from '../disk/atomic-write.ts';
export { giveFolderToOwner, giveToFolderOwner, makeFolder, syncFolder } from '../disk/folders.ts';
export { makeLeftoverPath } from '../disk/leftover-name.ts';
export { linkNew } from '../disk/link-new.ts';
export { loadSqlite } from '../disk/load-sqlite.ts';
export { OpenFile } from '../disk/open-file.ts';
export { sweepLeftovers } from '../disk/sweep-leftovers.ts';

// Processes

export { guardGroup } from '../disk/group-guard.ts';
export { describeOpenClaude, findOpenClaude, listOpenClaudes } from '../disk/open-claude.ts';
export {
  describeCommand,
  isHolderAlive,
  ownIdentity,
  type ProcessIdentity,
  type ProcessStat,
  readProcessStat,
} from '../disk/process-identity.ts';
export { startChild } from '../disk/start-child.ts';

// The end of this process

export { deferEnding, endOnSignals, isHandledElsewhere, passOnSignal, undoAtEnding } from '../disk/ending.ts';

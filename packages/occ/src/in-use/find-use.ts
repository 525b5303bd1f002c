import { statSync } from 'node:fs';
import type { Transcript } from '@openbot/sessions';
import {
  describeCommand,
  inspectLock,
  type LockHolder,
  ownIdentity,
  type ProcessIdentity,
} from '@openbot/sessions/disk';
import type { OwnRun } from '../storage/contract/use.ts';
import { isAncestor } from './ancestors.ts';
import { isBoundSession, judgeLastExchange, readLastExchange } from './last-exchange.ts';
import { findOpenWriter, type WriterSearch } from './open-writers.ts';
import {
  isRecent,
  type LockUse,
  type SessionUse,
  type UnfinishedUse,
  type WriterUse,
} from './session-use.ts';

interface UseSearch {
  /** If the caller has read it already. Otherwise the end of the file is read. */
  readonly transcript?: Transcript;
  /** The session's run is known to continue: an unfinished exchange then counts at any age. */
  readonly isRunning?: boolean;
  /** Whether that run called us: it then certainly continues. */
  readonly ownRun?: OwnRun;
  /** The process that works on the session, if one is known to: where thinking is bound its exchange counts at any age. */
  readonly findRunner?: () => Partial<ProcessIdentity> | undefined;
  /** Milliseconds; Date.now(). */
  readonly now?: number;
  readonly writers?: WriterSearch;
  /** Programs that write to such sessions take the lock: open descriptors are not looked for. */
  readonly isLocked?: boolean;
  /** A further lock, which is held during a whole run. */
  readonly runLockPath?: string;
}

/**
 * The use of a transcript at present; undefined if it is idle. The strongest sign comes first: a lock, an open
 * descriptor, the guess from an unfinished exchange. A stale lock does not count: taking the lock removes it.
 */
export async function findUse(path: string, search: UseSearch = {}): Promise<SessionUse | undefined> {
  const lock = findLock(path, search.runLockPath);
  if (lock !== undefined) return lock;
  const writer = search.isLocked ? undefined : await findWriter(path, search.writers);
  return writer ?? (await findUnfinished(path, search));
}

export function findLock(path: string, runLockPath?: string): LockUse | undefined {
  const own = findHeld(`${path}.lock`);
  if (own !== undefined || runLockPath === undefined) return own;
  const run = findHeld(runLockPath);
  return run && { ...run, isBrief: false };
}

function findHeld(lockPath: string): LockUse | undefined {
  const lock = inspectLock(lockPath);
  if (lock === undefined || !lock.held) return undefined;
  const { pid, token } = lock.holder;
  // Operations of one process queue at the lock itself.
  if (pid === process.pid && lock.liveness === 'alive') return undefined;
  return {
    kind: 'lock',
    lockPath,
    pid,
    who: lock.description,
    holder: lock.who,
    isKnownAlive: lock.liveness === 'alive',
    isAncestor: isOfThisHost(lock.holder) && isAncestor(pid),
    isBrief: token !== undefined,
  };
}

export async function findWriter(path: string, search?: WriterSearch): Promise<WriterUse | undefined> {
  const writer = await findOpenWriter(path, search);
  if (writer === undefined) return undefined;
  const command = describeCommand(writer.pid);
  return {
    kind: 'writer',
    pid: writer.pid,
    who: `process ${writer.pid}${command === undefined ? '' : ` (${command})`}`,
    isAncestor: isAncestor(writer.pid),
  };
}

export async function findUnfinished(path: string, search: UseSearch): Promise<UnfinishedUse | undefined> {
  const { transcript, ownRun = 'no' } = search;
  const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (changedAt === undefined) return undefined;
  const ageMs = (search.now ?? Date.now()) - changedAt;
  const counts = ownRun !== 'no' || search.isRunning === true || isRecent(ageMs);
  const runner = search.findRunner?.();
  if (!counts && runner === undefined) return undefined;
  const { exchange, isBound } =
    transcript === undefined
      ? await readLastExchange(path)
      : { exchange: judgeLastExchange(transcript), isBound: isBoundSession(transcript) };
  if (exchange !== 'unfinished' || !(counts || isBound)) return undefined;
  return isBound
    ? { kind: 'unfinished', ageMs, ownRun, bindsThinking: true, runner }
    : { kind: 'unfinished', ageMs, ownRun };
}

/** On another host the same pid is another process. */
function isOfThisHost({ host, pidSpace }: LockHolder): boolean {
  const own = ownIdentity();
  return (host ?? own.host) === own.host && (pidSpace ?? own.pidSpace) === own.pidSpace;
}

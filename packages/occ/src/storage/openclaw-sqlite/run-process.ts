import { readFileSync, statSync } from 'node:fs';
import { type ProcessIdentity, readProcessStat } from '@openbot/sessions/disk';
import { identify } from '../../in-use/ancestors.ts';
import { listOpenWriters } from '../../in-use/open-writers.ts';

/** Only asked where something says that there is a run, so it may take its time. */
const LOOK_MS = 2000;
/** A start is known by the clock that is set now, that of a run by the clock as it was then. */
const DOUBT_MS = 2000;
/** Of the times in /proc, on all that Node runs on. */
const TICKS_PER_SECOND = 100;

/**
 * A process that may be at work on a run of a session in a database: it has the database open for writing. One that
 * started after the run did is not its process, as with a gateway that was started again after it died.
 * @param since when the run began; undefined where nobody knows
 */
export function findRunProcess(
  database: string,
  since: number | undefined,
): Partial<ProcessIdentity> | undefined {
  const writer = listOpenWriters(database, LOOK_MS).find(({ pid }) => !isYounger(pid, since));
  return writer && identify(writer.pid);
}

/** Whether there is no such process where none is found: other people's processes cannot be looked into. */
export function canSeeRunProcess(database: string): boolean {
  if (process.platform !== 'linux') return false;
  const user = process.geteuid?.();
  return user === 0 || user === statSync(database, { throwIfNoEntry: false })?.uid;
}

function isYounger(pid: number, since: number | undefined): boolean {
  const started = since === undefined ? undefined : readStartMoment(pid);
  return started !== undefined && started > since! + DOUBT_MS;
}

/**
 * In ms. What /proc says of the system's start may be that of a container, and our own is known to us a moment late: both
 * can only make it later than it was.
 */
function readStartMoment(pid: number): number | undefined {
  const [ticks, ownTicks] = [pid, process.pid].map((each) => readProcessStat(each)?.starttime);
  if (ticks === undefined || ownTicks === undefined) return undefined;
  const sinceOurs = performance.timeOrigin + toMs(ticks - ownTicks);
  return Math.min(sinceOurs, readSystemStart() + toMs(ticks));
}

function toMs(ticks: number): number {
  return (ticks / TICKS_PER_SECOND) * 1000;
}

function readSystemStart(): number {
  try {
    const seconds = Number.parseFloat(readFileSync('/proc/uptime', 'latin1'));
    return Number.isFinite(seconds) ? Date.now() - seconds * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

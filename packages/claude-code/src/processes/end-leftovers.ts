import {
  isHolderAlive,
  type ProcessIdentity,
  type ProcessStat,
  readProcessStat,
} from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { endProcesses } from './end-processes.ts';
import { toIdentity } from './identify-process.ts';
import { endMarked, findMarked } from './marked-processes.ts';
import { type RunNote, readRunNotes, removeRunNote } from './run-note.ts';

export interface LeftoverOptions {
  /** Names Claude Code's folder, in which the notes are. */
  readonly env: Environment;
  readonly isMeant: (note: RunNote) => boolean;
  /** Told once of each run of which something was left: Claude Code, or else one of its tools. */
  readonly onFound: (note: RunNote, left: ProcessIdentity) => void;
  /** Ends the wait, with an AbortError. Who comes next goes on with what is left. */
  readonly signal?: AbortSignal;
}

/** Claude Code gets as long as the guard gives it, which may be at it too. */
const CLAUDE_TIMES = { patienceMs: 10_000, limitMs: 20_000 };

/**
 * After a crash of ours, Claude Code takes a moment to end, and where it was killed too its tools go on. Nothing begins in
 * their place before they are ended. A run is left alone unless its runner is certainly gone: what it started can be seen
 * here also where the runner lives in a container that cannot be looked into.
 */
export async function endLeftovers({ env, isMeant, onFound, signal }: LeftoverOptions): Promise<void> {
  const crashed = readRunNotes(env).filter((note) => isMeant(note) && isHolderAlive(note.runner) === 'dead');
  for (const note of crashed) {
    signal?.throwIfAborted();
    await endRun(note, (left) => onFound(note, left), signal);
    removeRunNote(note, env);
  }
}

async function endRun(
  { child, mark }: RunNote,
  onFound: (left: ProcessIdentity) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const findClaude = () => findProcess(child);
  const [claude] = findClaude();
  // What belongs to it only as a child of Claude Code is not known by that when Claude Code has ended.
  const known = findMarked(mark, claude && [claude]);
  const left = claude ?? known[0];
  if (left === undefined) return;
  onFound(toIdentity(left));
  if (claude !== undefined) await endProcesses(findClaude, { ...CLAUDE_TIMES, signal });
  await endMarked(mark, { known, signal });
}

/** None where another process has its pid by now. */
function findProcess(identity: ProcessIdentity | undefined): ProcessStat[] {
  if (identity === undefined || isHolderAlive(identity) !== 'alive') return [];
  const stat = readProcessStat(identity.pid);
  return stat === undefined || stat.isOver || stat.starttime !== identity.starttime ? [] : [stat];
}

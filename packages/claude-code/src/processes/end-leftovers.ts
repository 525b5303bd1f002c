import {
  isHolderAlive,
  type ProcessIdentity,
  type ProcessStat,
  readProcessStat,
} from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { endProcesses } from './end-processes.ts';
import { endMarked, findMarked } from './marked-processes.ts';
import { toIdentity } from './process-list.ts';
import { type RunNote, readRunNotes, removeRunNote } from './run-note.ts';

interface LeftoverOptions {
  /** Names Claude Code's folder, which contains the notes. */
  readonly env: Environment;
  readonly isMeant: (note: RunNote) => boolean;
  /** Called once for each run that left a process: with Claude Code, or else with one of its tools. */
  readonly onFound: (note: RunNote, left: ProcessIdentity) => void;
  /** Stops the wait with an AbortError. The next run continues with what is left. */
  readonly signal?: AbortSignal;
}

/** Claude Code gets as long as the guard gives it, which may be ending it at the same time. */
const CLAUDE_TIMES = { patienceMs: 10_000, limitMs: 20_000 };

/**
 * After a crash of the runner, Claude Code takes a moment to end, and if it was killed as well, its tools continue. They are
 * ended before another run starts in their place. A run is left alone unless its runner is certainly dead: its processes
 * can be visible here while the runner lives in a container that cannot be inspected.
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
  // Children without the mark can be found only while Claude Code, their parent, lives.
  const known = findMarked(mark, claude && [claude]);
  const left = claude ?? known[0];
  if (left === undefined) return;
  onFound(toIdentity(left));
  if (claude !== undefined) await endProcesses(findClaude, { ...CLAUDE_TIMES, signal });
  await endMarked(mark, { known, signal });
}

/** Empty if the process has ended, even if another one has its pid. */
function findProcess(identity: ProcessIdentity | undefined): ProcessStat[] {
  if (identity === undefined || isHolderAlive(identity) !== 'alive') return [];
  const stat = readProcessStat(identity.pid);
  return stat === undefined || stat.isOver || stat.starttime !== identity.starttime ? [] : [stat];
}

import { LONGEST_TIMER_MS } from '../project-status/time-limit.ts';
import type { RunResult } from '../registry/registered-session.ts';
import { isUnderWay, type Turn } from './turn.ts';

/** Where a conversation with one Claude Code is. `turn` is absent when Claude Code has nothing to do. */
export type Phase =
  /** The task was sent; Claude Code has not reported its session yet. */
  | { readonly at: 'starting'; readonly turn?: Turn }
  | { readonly at: 'busy'; readonly turn: Turn }
  /** A turn has ended and its cost is being recorded. Follow-ups wait. */
  | { readonly at: 'settling'; readonly turn?: Turn }
  | { readonly at: 'idle'; readonly stopWatch: () => void }
  /** The input is closed. When the timer fires, Claude Code is ended. */
  | ({ readonly at: 'closing'; readonly deadline: number; readonly timer: NodeJS.Timeout } & Closed)
  /** The input is closed, and Claude Code took too long. */
  | ({ readonly at: 'cut' } & Closed)
  /** Claude Code knows no such session. Nothing was done. */
  | { readonly at: 'unknown-session'; readonly reason: string };

interface Closed {
  readonly why: Closing;
  readonly turn?: Turn;
}

/** Why the input was closed. */
export type Closing =
  | { readonly because: 'done' | 'idle' | 'made-room' }
  | { readonly because: 'failure'; readonly result: RunResult; readonly message: string };

/** With its input closed, Claude Code only waits for what it left in the background. */
const CLOSE_PATIENCE_MS = 15_000;
/** A background task that ends gives it one more turn, and then another. No question can be answered by then. */
const LAST_TURNS_PATIENCE_MS = 5 * 60_000;

export function turnOf(phase: Phase): Turn | undefined {
  return 'turn' in phase ? phase.turn : undefined;
}

/** After a message that began or changed a turn. A turn that begins restarts the timer of closing. */
export function followPhase(phase: Phase, turn: Turn, onLate: () => void): Phase {
  if (phase.at === 'unknown-session') return phase;
  if (phase.at === 'starting' || phase.at === 'cut') return { ...phase, turn };
  if (phase.at !== 'closing') return { at: 'busy', turn };
  if (isUnderWay(turn) === isUnderWay(phase.turn)) return { ...phase, turn };
  return startClosing(phase.why, turn, onLate, phase.deadline);
}

/** After the end of a turn, of which a message that is not answered yet may remain. */
export function settlePhase(phase: Phase, rest: Turn | undefined, onLate: () => void): Phase {
  if (phase.at === 'unknown-session') return phase;
  if (phase.at === 'starting' || phase.at === 'cut') return { ...phase, turn: rest };
  if (phase.at !== 'closing') return { at: 'settling', turn: rest };
  return startClosing(phase.why, rest, onLate, phase.deadline);
}

/** The first failure is that of the run: later ones follow from it. */
export function closePhase(phase: Phase, why: Closing, onLate: () => void): Phase {
  if (phase.at === 'unknown-session') return phase;
  if (phase.at !== 'closing' && phase.at !== 'cut') return startClosing(why, turnOf(phase), onLate);
  const first = phase.why.because === 'failure' ? phase.why : why;
  if (phase.at === 'cut') return { ...phase, why: first };
  return startClosing(first, phase.turn, onLate, phase.deadline);
}

function startClosing(
  why: Closing,
  turn: Turn | undefined,
  onLate: () => void,
  deadline = performance.now() + LAST_TURNS_PATIENCE_MS,
): Phase {
  const left = Math.max(0, deadline - performance.now());
  const isLastTurn = isUnderWay(turn) && why.because !== 'failure';
  const timer = setTimeout(onLate, isLastTurn ? left : Math.min(left, CLOSE_PATIENCE_MS));
  return { at: 'closing', why, turn, deadline, timer };
}

/** Stops the timers of a phase that the next one does not keep. */
export function leavePhase(phase: Phase, next?: Phase): void {
  if (phase.at === 'idle') phase.stopWatch();
  if (phase.at === 'closing' && !(next?.at === 'closing' && next.timer === phase.timer)) {
    clearTimeout(phase.timer);
  }
}

interface IdleOptions {
  readonly idleMs: number;
  /** Whether another run waits for the repository. */
  readonly isWanted: () => boolean;
  readonly onEnd: (because: 'idle' | 'made-room') => void;
}

const POLL_MS = 500;

/** Idle until the time is over, or until another run waits. */
export function startIdle({ idleMs, isWanted, onEnd }: IdleOptions): Phase {
  const timer = setTimeout(() => onEnd('idle'), Math.min(idleMs, LONGEST_TIMER_MS));
  const poll = setInterval(() => {
    if (isWanted()) onEnd('made-room');
  }, POLL_MS);
  return {
    at: 'idle',
    stopWatch() {
      clearTimeout(timer);
      clearInterval(poll);
    },
  };
}

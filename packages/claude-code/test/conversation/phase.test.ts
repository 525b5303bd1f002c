import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  closePhase,
  followPhase,
  leavePhase,
  type Phase,
  settlePhase,
  startIdle,
  turnOf,
} from '../../src/conversation/phase.ts';
import { askForTurn } from '../../src/conversation/turn.ts';

const FAILURE = { because: 'failure', result: 'error', message: 'first' } as const;
const BACKGROUND = { of: 'background' } as const;
const cut = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  cut.mockClear();
});
afterEach(() => void vi.useRealTimers());

test('a turn by itself makes an idle conversation busy, and its end settles it', () => {
  const idle = startIdle({ idleMs: 60_000, isWanted: () => false, onEnd: cut });
  const busy = followPhase(idle, BACKGROUND, cut);
  expect(busy).toEqual({ at: 'busy', turn: BACKGROUND });
  leavePhase(idle, busy);
  vi.advanceTimersByTime(120_000);
  expect(cut).not.toHaveBeenCalled();
  const rest = askForTurn();
  expect(settlePhase(busy, rest, cut)).toEqual({ at: 'settling', turn: rest });
});

test('an idle conversation ends when its time is over, or when another run waits', () => {
  const ends: string[] = [];
  let isWanted = false;
  const start = () =>
    startIdle({ idleMs: 2000, isWanted: () => isWanted, onEnd: (because) => ends.push(because) });
  const first = start();
  vi.advanceTimersByTime(2000);
  leavePhase(first);
  isWanted = true;
  const second = start();
  vi.advanceTimersByTime(500);
  leavePhase(second);
  vi.advanceTimersByTime(60_000);
  expect(ends).toEqual(['idle', 'made-room']);
});

test('a closed conversation has 15 seconds, and five minutes for turns by itself', () => {
  const closing = closePhase({ at: 'settling' }, { because: 'done' }, cut);
  vi.advanceTimersByTime(14_999);
  expect(cut).not.toHaveBeenCalled();
  const last = followPhase(closing, BACKGROUND, cut);
  leavePhase(closing, last);
  vi.advanceTimersByTime(5 * 60_000 - 14_999 - 1);
  expect(cut).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(cut).toHaveBeenCalledOnce();
});

test('the first failure stays, and takes the time of a last turn away', () => {
  const closing = closePhase({ at: 'busy', turn: BACKGROUND }, { because: 'idle' }, cut);
  const failed = closePhase(closing, FAILURE, cut);
  leavePhase(closing, failed);
  const again = closePhase(failed, { ...FAILURE, message: 'second' }, cut);
  leavePhase(failed, again);
  expect(again).toMatchObject({ at: 'closing', why: FAILURE, turn: BACKGROUND });
  vi.advanceTimersByTime(15_000);
  expect(cut).toHaveBeenCalledOnce();
});

test('a session that is not known stays so', () => {
  const unknown: Phase = { at: 'unknown-session', reason: 'none' };
  expect(followPhase(unknown, BACKGROUND, cut)).toBe(unknown);
  expect(settlePhase(unknown, undefined, cut)).toBe(unknown);
  expect(closePhase(unknown, FAILURE, cut)).toBe(unknown);
  expect(turnOf(unknown)).toBeUndefined();
});

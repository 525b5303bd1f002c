/**
 * A hunt looks for a failure that is rare: kills at any moment, races, generated input. `npm test` runs a sample of it,
 * the same one each time; `npm run torture` runs the long form with a new seed. One test serves both:
 *
 *     test('…', HUNT, () => { for (let n = 0; n < tries({ gate: 5, torture: 60 }); n++) … });
 */
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Null in `npm test`. */
    torture: { readonly seed: number | null; readonly scale: number; readonly kills?: number } | null;
  }
}

const torture = inject('torture');

export const isTorture = torture !== null;

/** The long form of a generated hunt ends after this time, with the cases that it had by then. */
const BUDGET_MS = 15_000;

/** Marks the tests that `npm run torture` runs. Its cases take as long as they take: no limit but this one. */
export const HUNT = { tags: ['hunt'], timeout: 600_000 };

/** Marks a scenario that only `npm run torture` plays: another of its kind is in the gate. */
export const LONG = { ...HUNT, skip: !isTorture };

export interface Effort {
  readonly gate: number;
  /** With TORTURE_SCALE=1. */
  readonly torture: number;
}

/** How many cases a hunt runs. */
export function tries({ gate, torture: long }: Effort): number {
  return torture === null ? gate : Math.ceil(long * torture.scale);
}

/** How often a process of the gateway is killed: TORTURE_KILLS, where it is set. */
export function countKills(effort: Effort): number {
  return torture?.kills ?? tries(effort);
}

export interface GeneratedEffort extends Effort {
  /** Of the gate. */
  readonly seed?: number;
}

/** What fast-check runs. */
export function cases(effort: GeneratedEffort) {
  const parameters = counted(effort);
  return torture === null
    ? parameters
    : { ...parameters, interruptAfterTimeLimit: BUDGET_MS * torture.scale };
}

/** The same without a limit of time, for a test that counts its cases. */
export function counted({ seed = 1, ...effort }: GeneratedEffort) {
  return { numRuns: tries(effort), seed: torture?.seed ?? seed };
}

/** All of a list in torture, and in the gate so many from all over it, its first and its last among them. */
export function sample<const T>(list: readonly T[], { gate }: Pick<Effort, 'gate'>): T[] {
  if (torture !== null || gate >= list.length) return [...list];
  const step = (list.length - 1) / Math.max(gate - 1, 1);
  return Array.from({ length: gate }, (_, at) => list[Math.round(at * step)]!);
}

/** Numbers from 0 to 1 that the seed decides, as mulberry32 gives them. */
export function makeChance(): () => number {
  let state = torture?.seed ?? 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

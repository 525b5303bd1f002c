import type { DiscoveredSession } from '../discover/discovered-session.ts';
import type { Ceiling, Relevance, ScoreParts } from './selection.ts';

/** What sessions are compared with. */
export interface ScoringSituation {
  /** Empty outside git, `HEAD` if it is detached: then no session is on the same branch. */
  readonly currentBranch: string;
  readonly now: Date;
  /** The budget of a resumed session; default: the one that it had. */
  readonly maxBudgetUsd?: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** Maximum age, and its score. */
const RECENCY: readonly (readonly [age: number, hundredths: number])[] = [
  [HOUR, 20],
  [6 * HOUR, 16],
  [DAY, 12],
  [3 * DAY, 8],
  [WEEK, 4],
];
const LARGE_SESSION = 200;
const LARGE_FILE = 5 * 1024 * 1024;
/** Tolerance for rounding: `0.1 + 0.2` counts as 0.3. */
const NOISE = 1e-9;

/** All parts except the relevance, which takes longer to find out. */
export function scoreSituation(
  session: DiscoveredSession,
  situation: ScoringSituation,
): Omit<ScoreParts, 'relevance'> {
  const age = ageOf(session, situation.now);
  return {
    branch: isSameBranch(session, situation) ? 25 : 0,
    recency: RECENCY.find(([limit]) => age < limit)?.[1] ?? 0,
    health: scoreHealth(session, age),
    capacity: scoreCapacity(session, situation),
  };
}

/** From 0.3 to 0.6 it rises from 10 to 25 hundredths, rounded to the nearest, halves up. */
export function scoreRelevance(relevance: number): number {
  if (isAtLeast(relevance, 0.6)) return 25;
  if (isAtLeast(relevance, 0.3)) return 10 + Math.floor((relevance - 0.3) / 0.02 + 0.5 + NOISE / 0.02);
  return isUnrelated(relevance) ? -15 : 0;
}

export function findCeiling(
  session: DiscoveredSession,
  situation: ScoringSituation,
  relevance?: Pick<Relevance, 'score' | 'by'>,
): Ceiling | undefined {
  if (!session.hasTranscript) return 'gone';
  if (session.isOpen) return 'open';
  if (session.compactionCount >= 3) return 'compactions';
  if (isAtLeast(budgetUsed(session, situation) ?? 0, 0.7)) return 'budget';
  if (relevance !== undefined && isUnrelated(relevance.score)) {
    // If words were compared and none is in common, branch and recency are no reason to resume.
    if (relevance.by === 'words' || session.messageCount > LARGE_SESSION) return 'unrelated';
  }
  return undefined;
}

export function isSameBranch({ branch }: DiscoveredSession, { currentBranch }: ScoringSituation): boolean {
  return branch !== '' && branch !== 'HEAD' && branch === currentBranch;
}

/** A fraction; undefined if cost or budget is unknown. A budget of 0 is used up. */
export function budgetUsed(
  session: DiscoveredSession,
  { maxBudgetUsd }: ScoringSituation,
): number | undefined {
  const { totalCostUsd, budgetUsedPct } = session;
  if (maxBudgetUsd !== undefined && maxBudgetUsd <= 0) return 1;
  const used =
    totalCostUsd !== undefined && maxBudgetUsd !== undefined ? totalCostUsd / maxBudgetUsd : budgetUsedPct;
  return used !== undefined && used >= 0 ? used : undefined;
}

/** An invalid date is infinitely old; one in the future is new. */
function ageOf(session: DiscoveredSession, now: Date): number {
  const age = now.getTime() - session.lastModified.getTime();
  return Number.isNaN(age) ? Number.POSITIVE_INFINITY : age;
}

function scoreHealth(session: DiscoveredSession, age: number): number {
  let left = 15;
  if (session.messageCount > 500) left -= 7;
  if (session.fileSizeBytes > LARGE_FILE) left -= 4;
  if (age > WEEK) left -= 4;
  return left;
}

/** At least 0: the penalties add up to more than the factor. */
function scoreCapacity(session: DiscoveredSession, situation: ScoringSituation): number {
  let left = 15;
  if (session.compactionCount >= 2) left -= 9;
  else if (session.compactionCount === 1) left -= 4;
  const budget = budgetUsed(session, situation) ?? 0;
  if (isAbove(budget, 0.5)) left -= 4;
  else if (isAbove(budget, 0.3)) left -= 2;
  if (tokensPerMessage(session) > 4000) left -= 3;
  return Math.max(0, left);
}

/** Without cache tokens: the cache contains the whole conversation and is read again for each answer. */
function tokensPerMessage({ totalInputTokens, totalOutputTokens, messageCount }: DiscoveredSession): number {
  return messageCount > 0 ? (totalInputTokens + totalOutputTokens) / messageCount : 0;
}

function isUnrelated(relevance: number): boolean {
  return !isAtLeast(relevance, 0.1);
}

function isAtLeast(fraction: number, limit: number): boolean {
  return fraction >= limit - NOISE;
}

function isAbove(fraction: number, limit: number): boolean {
  return fraction > limit + NOISE;
}

/** Only strictly above: a session at the threshold is not resumed. */
export function isAboveThreshold(hundredths: number, threshold: number): boolean {
  return isAbove(hundredths / 100, threshold);
}

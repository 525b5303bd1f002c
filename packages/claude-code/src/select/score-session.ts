import { formatAge, formatQuantity, oneLine } from '@openbot/sessions/terminal-text';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import {
  budgetUsed,
  findCeiling,
  isSameBranch,
  type ScoringSituation,
  scoreRelevance,
  scoreSituation,
} from './score-parts.ts';
import type { Ceiling, Relevance, ScoreParts, SessionScore } from './selection.ts';

/**
 * Scores one session. Pure: time and relevance are arguments.
 * @param isUnasked the model rated other sessions but not this one, so it cannot be chosen
 */
export function scoreSession(
  session: DiscoveredSession,
  relevance: Relevance,
  situation: ScoringSituation,
  isUnasked = false,
): SessionScore {
  const { branch, recency, health, capacity } = scoreSituation(session, situation);
  const parts: ScoreParts = { branch, recency, relevance: scoreRelevance(relevance.score), health, capacity };
  const sum = Object.values(parts).reduce((left, part) => left + part, 0);
  const ceiling = findCeiling(session, situation, relevance) ?? (isUnasked ? 'unasked' : undefined);
  return {
    sessionId: session.sessionId,
    total: Math.min(100, Math.max(0, sum)),
    parts,
    ceiling,
    relevance,
    reason: describe(session, relevance, situation, ceiling),
  };
}

/** `its transcript is gone`, `3 compactions`, `82% of its budget used`, `unrelated, with 340 messages`, … */
export function describeCeiling(
  ceiling: Ceiling,
  session: DiscoveredSession,
  situation: ScoringSituation,
): string {
  if (ceiling === 'gone') return 'its transcript is gone';
  if (ceiling === 'open') return 'it is open in Claude Code';
  if (ceiling === 'compactions') return formatQuantity(session.compactionCount, 'compaction');
  if (ceiling === 'unasked') return 'the model was not asked about it';
  if (ceiling === 'budget') return `${percent(budgetUsed(session, situation) ?? 0)} of its budget used`;
  const size = session.messageCount > 200 ? `, with ${formatQuantity(session.messageCount, 'message')}` : '';
  return `unrelated${size}`;
}

function describe(
  session: DiscoveredSession,
  relevance: Relevance,
  situation: ScoringSituation,
  ceiling: Ceiling | undefined,
): string {
  const used = budgetUsed(session, situation) ?? 0;
  const facts = [
    describeBranch(session, situation),
    `used ${formatAge(session.lastModified.getTime(), situation.now.getTime())}`,
    `relevance ${relevance.score.toFixed(2)} by ${relevance.by} (${oneLine(relevance.reasoning)})`,
    ...(session.messageCount > 500 ? [formatQuantity(session.messageCount, 'message')] : []),
    ...(session.compactionCount > 0 ? [formatQuantity(session.compactionCount, 'compaction')] : []),
    ...(used > 0.3 ? [`${percent(used)} of its budget used`] : []),
  ];
  const out = ceiling === undefined ? '' : `ruled out: ${describeCeiling(ceiling, session, situation)}; `;
  return `${out}${facts.join(', ')}`;
}

/** On the scale of the threshold, 0 to 1. */
export function showScore(hundredths: number): string {
  return (hundredths / 100).toFixed(2);
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 100)}%`;
}

function describeBranch(session: DiscoveredSession, situation: ScoringSituation): string {
  if (isSameBranch(session, situation)) return 'same branch';
  return situation.currentBranch === '' || situation.currentBranch === 'HEAD'
    ? 'on no branch now'
    : 'other branch';
}

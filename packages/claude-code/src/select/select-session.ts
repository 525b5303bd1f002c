import { formatQuantity, oneLine } from '@openbot/sessions/terminal-text';
import {
  compareByRecency,
  type DiscoveredSession,
  isOwnedBy,
  shortId,
} from '../discover/discovered-session.ts';
import { hideSecrets } from '../scan/hide-secrets.ts';
import { type Assessment, assessTaskRelevance } from './assess-relevance.ts';
import { findLabelled } from './labelled-session.ts';
import { findCeiling, isAboveThreshold, type ScoringSituation, scoreSituation } from './score-parts.ts';
import { describeCeiling, scoreSession, showScore } from './score-session.ts';
import type {
  Relevance,
  SelectionRequest,
  SessionScore,
  SessionSelection,
  SessionSelectionConfig,
} from './selection.ts';
import { resolveSelectionConfig } from './selection-config.ts';

/** Tokens that the model needs to rate one session, with a reserve. */
const TOKENS_PER_RATING = 40;
const BEST_RELEVANCE = 25;
const LABEL_LIMIT = 200;

/**
 * Decides whether a task resumes a session, starts a fresh one, or waits.
 * @throws OpenBotError SELECTION_CONFIG_INVALID for an invalid setting
 */
export async function selectSession(request: SelectionRequest): Promise<SessionSelection> {
  const config = resolveSelectionConfig(request.config);
  const selection = await decide(request, config);
  logSelection(selection, request.log);
  return selection;
}

async function decide(request: SelectionRequest, config: SessionSelectionConfig): Promise<SessionSelection> {
  const label = request.label?.trim() ?? '';
  if (label !== '') return selectLabelled(label, request);
  const active = [...(request.projectStatus.sessions?.active ?? []), ...request.sessions].find(
    ({ isRunning }) => isRunning,
  );
  if (active !== undefined) {
    return { action: 'queue', reason: `session ${shortId(active.sessionId)} is running in this repository` };
  }
  const own = request.sessions.filter((session) => isOwnedBy(session, request.agentId));
  if (own.length === 0) {
    return { action: 'fresh', reason: whyNoneIsOwn(request) };
  }
  return selectByScore(own, request, config);
}

/** Sessions of people and of other agents are listed, but only resumed by name. */
function whyNoneIsOwn({ sessions, agentId }: SelectionRequest): string {
  if (sessions.length === 0) return 'there is no session in this repository';
  const [whose, which] =
    sessions.length === 1
      ? ['the only session in this repository does not belong', 'it']
      : [`none of the ${sessions.length} sessions in this repository belongs`, 'one of them'];
  return `${whose} to agent ${oneLine(agentId)}; openbot cc run --session <id> continues ${which}`;
}

function selectLabelled(label: string, request: SelectionRequest): SessionSelection {
  const found = findLabelled(label, request);
  const shown = oneLine(hideSecrets(label, LABEL_LIMIT));
  if (found === undefined) return { action: 'fresh', reason: `no session is labelled "${shown}"` };
  const reason = `session ${shortId(found.sessionId)} is labelled "${shown}"`;
  const { sessionId } = found;
  if (found.isGone) {
    return { action: 'fresh', replacesSessionId: sessionId, reason: `${reason}, but its transcript is gone` };
  }
  if (found.isOpen) {
    const way = 'close it there, or continue in a copy (openbot cc run --fork)';
    return {
      action: 'queue',
      openSessionId: sessionId,
      reason: `${reason}, but it is open in Claude Code: ${way}`,
    };
  }
  return { action: 'resume', sessionId, reason };
}

async function selectByScore(
  own: readonly DiscoveredSession[],
  request: SelectionRequest,
  config: SessionSelectionConfig,
): Promise<SessionSelection> {
  const situation: ScoringSituation = {
    currentBranch: request.projectStatus.git.currentBranch,
    now: request.now ?? new Date(),
    maxBudgetUsd: request.maxBudgetUsd,
  };
  const { asked, unasked, rest } = splitByPromise([...own].sort(compareByRecency), situation, config);
  const { task, askModel, tag } = request;
  const tasks = new Map((request.registry ?? []).map((entry) => [entry.sessionId, entry.tasks]));
  const assessed = await assessTaskRelevance(task, asked, { config, askModel, tag, tasks });
  const others = await assessTaskRelevance(task, [...unasked, ...rest], { config, tasks });
  // Ratings by words are not comparable with those of the model: they can rule a session out, not choose it.
  const isBarred = assessed.relevance.some(({ by }) => by === 'model') ? new Set(unasked) : new Set();
  const rated = [...pair(asked, assessed), ...pair([...unasked, ...rest], others)].sort(([one], [other]) =>
    compareByRecency(one, other),
  );
  const scored = rated.map(([session, relevance]) => ({
    session,
    score: scoreSession(session, relevance, situation, isBarred.has(session)),
  }));
  // The sort is stable: equal sessions stay in the order of their age.
  scored.sort(({ score: one }, { score: other }) => compareScores(one, other));
  const scores = scored.map(({ score }) => score);
  const details = {
    scores,
    relevanceFallback: assessed.fallback,
  };
  const best = scores.find(({ ceiling }) => ceiling === undefined);
  if (best !== undefined && isAboveThreshold(best.total, config.resumeThreshold)) {
    const reason = `session ${shortId(best.sessionId)} scores ${showScore(best.total)}, above ${config.resumeThreshold}: ${best.reason}${whyOfEquals(best, scores)}`;
    return { action: 'resume', sessionId: best.sessionId, reason, ...details };
  }
  return { action: 'fresh', reason: whyFresh(best, scored, situation, config), ...details };
}

/** Sessions that may be resumed first, then by score, relevance and branch. */
function compareScores(one: SessionScore, other: SessionScore): number {
  return (
    Number(one.ceiling !== undefined) - Number(other.ceiling !== undefined) ||
    other.total - one.total ||
    other.relevance.score - one.relevance.score ||
    other.parts.branch - one.parts.branch
  );
}

function whyOfEquals(best: SessionScore, [, second]: readonly SessionScore[]): string {
  if (second === undefined || second.ceiling !== undefined || second.total !== best.total) return '';
  const reason =
    best.relevance.score !== second.relevance.score
      ? 'is more relevant'
      : best.parts.branch !== second.parts.branch
        ? 'is on this branch'
        : 'was used last';
  return `; of those with the same score it ${reason}`;
}

/**
 * The sessions to ask the model about, the most promising first; those for which its answer has no room; and the rest,
 * which are ruled out or cannot reach the threshold.
 */
function splitByPromise(
  sessions: readonly DiscoveredSession[],
  situation: ScoringSituation,
  config: SessionSelectionConfig,
): Readonly<Record<'asked' | 'unasked' | 'rest', readonly DiscoveredSession[]>> {
  const known = new Map(
    sessions.map((session) => {
      const parts = Object.values(scoreSituation(session, situation));
      return [session, parts.reduce((sum, part) => sum + part, 0)];
    }),
  );
  const inReach = sessions
    .filter((session) => findCeiling(session, situation) === undefined)
    .filter((session) => isAboveThreshold(known.get(session)! + BEST_RELEVANCE, config.resumeThreshold))
    .sort((one, other) => known.get(other)! - known.get(one)!);
  const room = Math.max(1, Math.floor(config.relevanceMaxTokens / TOKENS_PER_RATING));
  const isInReach = new Set(inReach);
  return {
    asked: inReach.slice(0, room),
    unasked: inReach.slice(room),
    rest: sessions.filter((session) => !isInReach.has(session)),
  };
}

function pair(
  sessions: readonly DiscoveredSession[],
  { relevance }: Assessment,
): [DiscoveredSession, Relevance][] {
  return sessions.map((session, at) => [session, relevance[at]!]);
}

function whyFresh(
  best: SessionScore | undefined,
  scored: readonly { readonly session: DiscoveredSession; readonly score: SessionScore }[],
  situation: ScoringSituation,
  config: SessionSelectionConfig,
): string {
  if (best !== undefined) {
    return `the best session, ${shortId(best.sessionId)}, scores ${showScore(best.total)}, not above ${config.resumeThreshold}: ${best.reason}`;
  }
  const [first] = scored;
  const { session, score } = first!;
  const why = describeCeiling(score.ceiling!, session, situation);
  const count = formatQuantity(scored.length, 'session');
  return scored.length === 1
    ? `the only session, ${shortId(session.sessionId)}, is ruled out: ${why}`
    : `all ${count} are ruled out, ${shortId(session.sessionId)} for example: ${why}`;
}

/** Each score with its parts, then the decision, one line each. */
function logSelection(selection: SessionSelection, log: SelectionRequest['log']): void {
  if (log === undefined) return;
  const { action, reason, scores = [], relevanceFallback } = selection;
  const lines = [
    ...(relevanceFallback === undefined ? [] : [`relevance by words: ${relevanceFallback}`]),
    ...scores.map((score) => `score ${shortId(score.sessionId)}: ${showParts(score)}; ${score.reason}`),
    `${action}: ${reason}`,
  ];
  try {
    for (const line of lines) log(line);
  } catch {
    // A failing log must not prevent the run.
  }
}

function showParts({ total, parts }: SessionScore): string {
  const { branch, recency, relevance, health, capacity } = parts;
  return `${showScore(total)} = branch ${showScore(branch)} + recency ${showScore(recency)} + relevance ${showScore(relevance)} + health ${showScore(health)} + capacity ${showScore(capacity)}`;
}

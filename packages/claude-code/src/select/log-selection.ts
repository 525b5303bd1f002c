import { shortId } from '../discover/short-id.ts';
import type { SessionScore, SessionSelection } from './selection.ts';
import type { SelectionRequest } from './selection-request.ts';

/** Each score with its parts, then the decision, one line each. */
export function logSelection(selection: SessionSelection, log: SelectionRequest['log']): void {
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
    // A log that fails is no reason not to start.
  }
}

function showParts({ total, parts }: SessionScore): string {
  const { branch, recency, relevance, health, capacity } = parts;
  return `${total} = branch ${branch} + recency ${recency} + relevance ${relevance} + health ${health} + capacity ${capacity}`;
}

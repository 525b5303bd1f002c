import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import type { Relevance } from './selection.ts';

const REASONING_LIMIT = 120;
/** Longer than any valid answer. */
const ANSWER_LIMIT = 100_000;
/** Exactly one code block, with no text around it. */
const FENCED = /^```(?:json)?[ \t]*\n(.*)\n[ \t]*```$/s;

/**
 * The ratings of `count` sessions in their order, or what is wrong with the answer. An answer with any fault is not
 * used: the model may have misunderstood the rest too.
 */
export function readAnswer(
  answer: unknown,
  count: number,
): { readonly ratings: readonly Relevance[] } | { readonly fault: string } {
  if (typeof answer !== 'string') return { fault: 'the model gave no text' };
  if (answer.length > ANSWER_LIMIT) return { fault: 'the answer of the model is too long' };
  const text = answer.trim();
  const parsed = parseJson(FENCED.exec(text)?.[1] ?? text);
  if (parsed === undefined) return { fault: 'the answer of the model is not JSON alone' };
  const rows = isRecord(parsed) ? parsed.sessions : undefined;
  if (!Array.isArray(rows)) return { fault: 'the answer of the model has no list of sessions' };
  if (rows.length !== count) return { fault: `the model rated ${rows.length} of ${count} sessions` };
  const ratings: Relevance[] = [];
  for (const [at, row] of rows.entries()) {
    const rating = readRating(row, at + 1);
    if (rating === undefined) return { fault: `the model's rating of session ${at + 1} is not valid` };
    ratings.push(rating);
  }
  return { ratings };
}

function readRating(row: unknown, id: number): Relevance | undefined {
  if (!isRecord(row) || row.id !== id || typeof row.why !== 'string') return undefined;
  const { score } = row;
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return undefined;
  // The reasoning may repeat text that a session injected.
  return { score, reasoning: shorten(oneLine(row.why), REASONING_LIMIT), by: 'model' };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { formatCount, formatQuantity, oneLine, shorten } from '@openbot/sessions/terminal-text';
import type { CallPart, CallResult } from './history-item.ts';

/** A call on one line: what was called with what, and what came of it. */
export interface CallSummary {
  readonly name: string;
  readonly given: string;
  readonly outcome: string;
  readonly isFailed: boolean;
}

/** What a text is cut to before it is looked at: results may be of megabytes. */
const LOOKED_AT = 2000;
const MOST_GIVEN = 400;
const MOST_SHOWN = 60;

export function summarizeCall({ name, arguments: given, result }: CallPart): CallSummary {
  return {
    name: oneLine(name) || 'tool',
    given: summarizeGiven(given),
    ...(result === undefined ? { outcome: 'no result', isFailed: false } : summarizeResult(result)),
  };
}

/** `12 lines, 0.4 s` */
export function summarizeResult(result: CallResult): Pick<CallSummary, 'outcome' | 'isFailed'> {
  const { text, images, isError, durationMs } = result;
  const exitCode = EXIT_CODE.exec(text.slice(-80))?.[1];
  const isFailed = isError || (exitCode !== undefined && exitCode !== '0');
  const outcome = [
    isFailed ? describeFailure(text, exitCode) : describeText(text, images),
    ...(images > 0 ? [formatQuantity(images, 'image')] : []),
    ...(durationMs !== undefined && durationMs >= 50 ? [formatDuration(durationMs)] : []),
  ].filter((part) => part !== '');
  return { outcome: outcome.join(', '), isFailed };
}

const EXIT_CODE = /\(Command exited with code (\d+)\)\s*$/;

/** A text with the same summary as a long one whose beginning it has: as many lines, the same exit code. */
export function keepSummary(beginning: string, whole: string): string {
  const missing = countLines(whole.trimEnd()) - countLines(beginning);
  return beginning + '\n'.repeat(Math.max(0, missing)) + (EXIT_CODE.exec(whole.slice(-80))?.[0] ?? '…');
}

function describeText(text: string, images: number): string {
  const trimmed = text.trim();
  if (trimmed === '') return images > 0 ? '' : 'no output';
  if (trimmed.length <= MOST_SHOWN && !trimmed.includes('\n')) return oneLine(trimmed);
  return formatQuantity(countLines(trimmed), 'line');
}

function describeFailure(text: string, exitCode: string | undefined): string {
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  const trimmed = text.trim();
  const [first = ''] = (readMessage(trimmed) ?? trimmed).slice(0, LOOKED_AT).split('\n');
  return shorten(oneLine(first), MOST_SHOWN) || 'failed';
}

/** What a tool says that answers with JSON. */
function readMessage(text: string): string | undefined {
  if (!text.startsWith('{') || text.length > LOOKED_AT) return undefined;
  try {
    const { error, message } = JSON.parse(text) as Record<string, unknown>;
    return [error, message].find((one) => typeof one === 'string');
  } catch {
    return undefined;
  }
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** `0.4 s`, `2 min` */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 90_000) return `${Math.round(ms / 1000)} s`;
  return ms < 90 * 60_000 ? `${Math.round(ms / 60_000)} min` : `${formatCount(ms / 3_600_000)} h`;
}

/** The values that say most: texts, without their names. */
function summarizeGiven(given: unknown): string {
  const values =
    typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.values(given) : [given];
  const said = values.filter((value) => typeof value === 'string');
  const texts = (said.length > 0 ? said : values).map((value) =>
    typeof value === 'string' ? value.slice(0, LOOKED_AT) : (JSON.stringify(value) ?? '').slice(0, LOOKED_AT),
  );
  return shorten(oneLine(texts.join(' ').slice(0, LOOKED_AT)), MOST_GIVEN);
}

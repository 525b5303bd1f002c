import { oneLine, shorten } from '@openbot/sessions/terminal-text';

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An id or a count. */
export function readInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

const LONGEST_NAME = 128;

/** A name that people chose: on one line, without characters that hide or turn text round. Undefined when nothing is left. */
export function readName(...values: readonly unknown[]): string | undefined {
  const text = values
    .filter((value) => typeof value === 'string')
    .join(' ')
    .slice(0, 4 * LONGEST_NAME);
  return shorten(oneLine(text), LONGEST_NAME) || undefined;
}

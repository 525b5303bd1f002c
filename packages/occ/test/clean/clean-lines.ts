import { cleanBytes } from './clean-bytes.ts';

export type Line = Record<string, unknown>;

/** Cleans a transcript given as objects, one a line; a string stands for a line that is no JSON. */
export function cleanLines(
  lines: readonly (Line | string)[],
  options: { keep: number; truncate?: number },
): Line[] {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const removal = { keepTurnsWithTools: options.keep, truncatePercent: options.truncate ?? 0 };
  const cleaned = cleanBytes(Buffer.from(text), removal).planned.toString();
  return cleaned
    .split('\n')
    .slice(0, -1)
    .map((line) => (line.startsWith('{"') ? (JSON.parse(line) as Line) : { text: line }));
}

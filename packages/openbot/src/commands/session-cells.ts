/** Parts of tables and reports about sessions. */
import type { Environment } from '@openbot/sessions/layout';
import {
  drawBar,
  formatPercent,
  type Palette,
  padEnd,
  percentOf,
  printable,
} from '@openbot/sessions/terminal-text';
import type { SessionRow } from '../kept-sessions/contract.ts';

type ContextUse = Pick<SessionRow, 'totalTokens' | 'contextTokens'>;

const BAR = 8;

/** How full the context is: a bar and a percentage. Empty where that is not known. */
export function showContext({ totalTokens, contextTokens }: ContextUse): string {
  if (totalTokens === null) return '';
  const percent = formatPercent(totalTokens, contextTokens).padStart(4);
  return `${padEnd(drawBar(totalTokens, contextTokens, BAR), BAR)}${percent}`;
}

export function paintContext(
  text: string,
  { totalTokens, contextTokens }: ContextUse,
  palette: Palette,
): string {
  const percent = percentOf(totalTokens ?? 0, contextTokens);
  if (percent >= 95) return palette.red(text);
  return percent >= 80 ? palette.yellow(text) : palette.cyan(text);
}

/** `~` for the home folder. */
export function showPath(path: string, { HOME }: Environment): string {
  const isInside = HOME !== undefined && HOME !== '/' && path.startsWith(`${HOME}/`);
  return printable(isInside ? `~${path.slice(HOME.length)}` : path);
}

const UNITS = ['B', 'KB', 'MB', 'GB'];

export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be rounded to 1000.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(unit === 0 || value >= 9.95 ? 0 : 1)} ${UNITS[unit]}`;
}

import {
  cutEnd,
  oneLine,
  type Palette,
  PLAIN_PALETTE,
  padEnd,
  padStart,
  printable,
  textWidth,
} from '@openbot/sessions/terminal-text';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { describeContent } from './relevance-question.ts';
import type { ScoreParts, SessionScore, SessionSelection } from './selection.ts';
import { shortId } from './short-id.ts';

export interface SelectionFormatOptions {
  /** Where the branch and the subject of a session are found. */
  readonly sessions?: readonly DiscoveredSession[];
  /** How wide the terminal is. Default: 100. */
  readonly columns?: number;
  readonly palette?: Palette;
}

const PARTS: readonly (keyof ScoreParts)[] = ['branch', 'recency', 'relevance', 'health', 'capacity'];
const GAP = '  ';
const INDENT = 4;
/** With less room than this, what a session is about stands on a line of its own. */
const LEAST_ABOUT = 24;

/** The decision, and a table of the sessions with the hundredths that each factor gives. */
export function formatSelection(selection: SessionSelection, options: SelectionFormatOptions = {}): string {
  const palette = options.palette ?? PLAIN_PALETTE;
  const columns = Math.max(40, options.columns ?? 100);
  const { action, reason, scores = [], relevanceFallback, sessionId } = selection;
  const about = new Map((options.sessions ?? []).map((session) => [session.sessionId, describe(session)]));
  const hasColumn = about.size > 0 && columns >= textWidth(showHeader(false)) + LEAST_ABOUT;
  return [
    `${palette.bold(action)}: ${printable(nameInFull(reason, sessionId))}`,
    ...(relevanceFallback === undefined
      ? []
      : [palette.dim(`words were compared: ${printable(relevanceFallback)}`)]),
    ...(scores.length === 0 ? [] : ['', palette.dim(cutEnd(showHeader(hasColumn), columns).trimEnd())]),
    ...scores.flatMap((score) => {
      const isChosen = score.sessionId === sessionId;
      const subject = about.get(score.sessionId) ?? '';
      const row = cutEnd(showRow(score, isChosen, hasColumn ? subject : ''), columns).trimEnd();
      const below = [...(hasColumn || subject === '' ? [] : [subject]), printable(score.reason)];
      const details = below.map((text) => palette.dim(cutEnd(' '.repeat(INDENT) + text, columns)));
      return [isChosen ? palette.green(row) : row, ...details];
    }),
    '',
  ].join('\n');
}

/** So that the id can be copied. */
function nameInFull(reason: string, sessionId: string | undefined): string {
  if (sessionId === undefined) return reason;
  const short = `session ${shortId(sessionId)} `;
  return reason.startsWith(short) ? `session ${sessionId} ${reason.slice(short.length)}` : reason;
}

function showHeader(hasAbout: boolean): string {
  const titles = [...PARTS, 'total'].map((name) => name.toUpperCase());
  return [`${GAP}${padEnd('SESSION', 8)}`, ...titles, ...(hasAbout ? ['ABOUT'] : [])].join(GAP);
}

function showRow(score: SessionScore, isChosen: boolean, about: string): string {
  const cells = PARTS.map((name) => padStart(String(score.parts[name]), name.length));
  const total = padStart(score.ceiling === undefined ? String(score.total) : 'out', 'total'.length);
  return [`${isChosen ? '> ' : GAP}${padEnd(shortId(score.sessionId), 8)}`, ...cells, total, about].join(GAP);
}

function describe(session: DiscoveredSession): string {
  const text = oneLine(session.label ?? describeContent(session));
  return session.branch === '' ? text : `[${printable(session.branch)}] ${text}`;
}

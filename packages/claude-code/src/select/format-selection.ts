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
import { type DiscoveredSession, shortId } from '../discover/discovered-session.ts';
import { describeContent } from './relevance-question.ts';
import { showScore } from './score-session.ts';
import type { ScoreParts, SessionScore, SessionSelection } from './selection.ts';

export interface SelectionFormatOptions {
  /** Contain the branch and the subject of each session. */
  readonly sessions?: readonly DiscoveredSession[];
  /** Width of the terminal. Default: 100. */
  readonly columns?: number;
  readonly palette?: Palette;
}

type Figure = keyof ScoreParts | 'total';

const FIGURES: readonly Figure[] = ['branch', 'recency', 'relevance', 'health', 'capacity', 'total'];
const GAP = '  ';
const INDENT = 4;
/** With less width than this, the subject of a session has a line of its own. */
const LEAST_ABOUT = 24;

/** The decision, and a table of the sessions with the score of each factor, on the scale of the threshold. */
export function formatSelection(selection: SessionSelection, options: SelectionFormatOptions = {}): string {
  const palette = options.palette ?? PLAIN_PALETTE;
  const columns = Math.max(40, options.columns ?? 100);
  const { action, reason, scores = [], relevanceFallback, sessionId, openSessionId } = selection;
  const about = new Map((options.sessions ?? []).map((session) => [session.sessionId, describe(session)]));
  const figures = figuresFor(columns);
  const hasColumn = about.size > 0 && columns >= textWidth(showHeader(figures, false)) + LEAST_ABOUT;
  return [
    `${palette.bold(action)}: ${printable(nameInFull(reason, sessionId ?? openSessionId))}`,
    ...(relevanceFallback === undefined
      ? []
      : [palette.dim(`words were compared: ${printable(relevanceFallback)}`)]),
    ...(scores.length === 0 ? [] : ['', palette.dim(showHeader(figures, hasColumn))]),
    ...scores.flatMap((score) => {
      const isChosen = score.sessionId === sessionId;
      const subject = about.get(score.sessionId) ?? '';
      const row = cutEnd(showRow(score, figures, isChosen, hasColumn ? subject : ''), columns).trimEnd();
      const below = [...(hasColumn || subject === '' ? [] : [subject]), printable(score.reason)];
      const details = below.map((text) => palette.dim(cutEnd(' '.repeat(INDENT) + text, columns)));
      return [isChosen ? palette.green(row) : row, ...details];
    }),
    '',
  ].join('\n');
}

/** Shows the complete id, so that it can be copied. */
function nameInFull(reason: string, sessionId: string | undefined): string {
  if (sessionId === undefined) return reason;
  const short = `session ${shortId(sessionId)} `;
  return reason.startsWith(short) ? `session ${sessionId} ${reason.slice(short.length)}` : reason;
}

/** If not all fit: the total and the first of its parts. */
function figuresFor(columns: number): readonly Figure[] {
  const fits = (figures: readonly Figure[]) => textWidth(showHeader(figures, false)) <= columns;
  if (fits(FIGURES)) return FIGURES;
  const figures: Figure[] = ['total'];
  for (const name of FIGURES.slice(0, -1)) if (fits([...figures, name])) figures.push(name);
  return figures;
}

function showHeader(figures: readonly Figure[], hasAbout: boolean): string {
  const titles = figures.map((name) => name.toUpperCase());
  return [`${GAP}${padEnd('SESSION', 8)}`, ...titles, ...(hasAbout ? ['ABOUT'] : [])].join(GAP);
}

function showRow(score: SessionScore, figures: readonly Figure[], isChosen: boolean, about: string): string {
  const cells = figures.map((name) => padStart(showFigure(score, name), name.length));
  return [`${isChosen ? '> ' : GAP}${padEnd(shortId(score.sessionId), 8)}`, ...cells, about].join(GAP);
}

function showFigure({ parts, total, ceiling }: SessionScore, name: Figure): string {
  if (name !== 'total') return showScore(parts[name]);
  return ceiling === undefined ? showScore(total) : 'out';
}

function describe(session: DiscoveredSession): string {
  const text = oneLine(session.label ?? session.title ?? describeContent(session));
  return session.branch === '' ? text : `[${printable(session.branch)}] ${text}`;
}

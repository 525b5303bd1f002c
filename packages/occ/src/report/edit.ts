import { formatQuantity, printable } from '@openbot/sessions/terminal-text';
import type { EditOutcome } from '../operations/results.ts';
import { commandFor, describeChoice, undoCommand } from './chosen-session.ts';
import type { ReportOptions } from './report-options.ts';
import { rotatedLines } from './rotated-backups.ts';
import { shortenPath } from './short-path.ts';
import { figuresOfEdit, statisticsLines, verboseStatisticsLines } from './statistics.ts';
import { describeRemoval, turnAnalysisLines } from './turn-analysis.ts';

export function formatEdit(outcome: EditOutcome, options: ReportOptions): string {
  const lines = options.verbose ? verboseLines(outcome, options) : plainLines(outcome, options);
  return `${lines.join('\n')}\n`;
}

function plainLines(outcome: EditOutcome, options: ReportOptions): string[] {
  return [
    headline(outcome, options),
    ...chosenLines(outcome),
    ...noteLines(outcome),
    ...staleLines(outcome),
    ...figureIntroduction(outcome),
    ...statisticsLines(
      figuresOfEdit(outcome.result.statistics, outcome.result.tokens, outcome.result.staleThinking),
    ),
    ...nextLines(outcome, options).map((line) => `  ${line}`),
  ];
}

function verboseLines(outcome: EditOutcome, options: ReportOptions): string[] {
  const { result, plan, session } = outcome;
  const next = nextLines(outcome, options);
  return [
    headline(outcome, options),
    ...chosenLines(outcome),
    ...noteLines(outcome),
    ...staleLines(outcome),
    `  ${outcome.presetName === undefined ? 'Rule' : 'Preset'}: ${describeRemoval(outcome.options, outcome.presetName)}`,
    `  Path: ${shortenPath(session.path, options.home)}`,
    '',
    ...figureIntroduction(outcome),
    ...verboseStatisticsLines(
      figuresOfEdit(result.statistics, result.tokens, result.staleThinking),
      outcome.options.truncateOver,
    ),
    '',
    ...turnAnalysisLines(plan),
    ...(next.length === 0 ? [] : ['', ...next]),
  ];
}

function headline({ result }: EditOutcome, { palette }: ReportOptions): string {
  const id = palette.bold(printable(result.sessionId));
  if (result.scheduled) return `${palette.yellow('…')} Edit scheduled: ${id}`;
  if (result.dryRun && wouldChange(result)) return `${palette.cyan('○')} Would edit session: ${id} (dry run)`;
  if (result.dryRun) return `${palette.dim('•')} Would change nothing: ${id} (dry run)`;
  if (!result.changed) return `${palette.dim('•')} Session not changed: ${id}`;
  return `${palette.green('✓')} Session edited: ${id}`;
}

function chosenLines({ foundBy, session }: EditOutcome): string[] {
  const choice = describeChoice(foundBy, session);
  return choice === undefined ? [] : [`  Chosen: ${choice}`];
}

function noteLines({ result }: EditOutcome): string[] {
  return result.note === undefined ? [] : [`  ${printable(result.note)}`];
}

function staleLines({ result }: EditOutcome): string[] {
  const { staleThinking } = result;
  if (staleThinking === undefined) return [];
  return [
    `  Stale thinking: an earlier rewrite changed what comes before ${formatQuantity(staleThinking, 'block')}; all thinking from there on is removed`,
  ];
}

function figureIntroduction({ result }: EditOutcome): string[] {
  return result.scheduled && wouldChange(result) ? ['  As the session is now, it would come to:'] : [];
}

function nextLines({ result, session }: EditOutcome, options: ReportOptions): string[] {
  const { home, palette } = options;
  if (result.scheduled) {
    return ['Nothing has changed yet.', `Result: ${palette.cyan(commandFor('info', session, options))}`];
  }
  if (result.dryRun) return ['Nothing was written.'];
  if (result.backupPath === undefined) return [];
  return [
    `Backup: ${shortenPath(result.backupPath, home)}`,
    ...rotatedLines(result, session, options),
    `Undo: ${palette.cyan(undoCommand(session, options))}`,
  ];
}

function wouldChange({ statistics }: EditOutcome['result']): boolean {
  return statistics.sizeAfter < statistics.sizeOriginal;
}

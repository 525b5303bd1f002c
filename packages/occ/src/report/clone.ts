import { printable } from '@openbot/sessions/terminal-text';
import type { CloneOutcome } from '../operations/results.ts';
import { describeChoice } from './chosen-session.ts';
import type { ReportOptions } from './report-options.ts';
import { shortenPath } from './short-path.ts';
import { figuresOfClone, statisticsLines, verboseStatisticsLines } from './statistics.ts';
import { turnAnalysisLines } from './turn-analysis.ts';

export function formatClone(outcome: CloneOutcome, options: ReportOptions): string {
  const { result, plan, session, foundBy, options: rules } = outcome;
  const choice = describeChoice(foundBy, session);
  const figures = figuresOfClone(result.statistics, result.tokens);
  const lines = [
    headline(outcome, options),
    ...(choice === undefined ? [] : [`  Chosen: ${choice}`]),
    ...(options.verbose
      ? ['', ...verboseStatisticsLines(figures, rules.truncateOver), '', ...turnAnalysisLines(plan), '']
      : statisticsLines(figures)),
    ...placeLines(outcome, options).map((line) => (options.verbose ? line : `  ${line}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function headline({ result }: CloneOutcome, { palette }: ReportOptions): string {
  const source = palette.bold(printable(result.sourceSessionId));
  const { clonedSessionId } = result;
  if (result.dryRun || clonedSessionId === undefined)
    return `${palette.cyan('○')} Would clone session: ${source} (dry run)`;
  return `${palette.green('✓')} Session cloned: ${source} → ${palette.bold(printable(clonedSessionId))}`;
}

function placeLines({ result }: CloneOutcome, { home, palette }: ReportOptions): string[] {
  if (result.dryRun || result.clonedSessionPath === undefined) return ['Nothing was written.'];
  return [
    `Path: ${shortenPath(result.clonedSessionPath, home)}`,
    ...(result.sessionKey === undefined ? [] : [`Key: ${printable(result.sessionKey)}`]),
    ...(result.note === undefined ? [] : [`Note: ${result.note}`]),
    ...(result.resumeCommand === undefined
      ? []
      : [`Resume: ${palette.cyan(printable(result.resumeCommand))}`]),
  ];
}

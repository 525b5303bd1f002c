import { formatCount, printable } from '@openbot/sessions/terminal-text';
import type { ScheduledEditReport } from '../operations/results.ts';
import { formatMinute } from './figures.ts';
import type { ReportOptions } from './report-options.ts';
import { shortenPath } from './short-path.ts';

/** The state of the edit, or of the correction after an edit, that waited for the end of a run. */
export function scheduledEditLines(report: ScheduledEditReport, options: ReportOptions): string[] {
  const { palette, home } = options;
  const isEdit = report.corrects === undefined;
  const title = isEdit ? 'Last scheduled edit' : "OpenClaw's token counts, after the edit during a run";
  const requested = formatMinute(Date.parse(report.requestedAt));
  if (report.state === 'waiting') {
    return [`${title}: ${palette.yellow('waiting')} since ${requested} for the run to end`];
  }
  const finished = formatMinute(Date.parse(report.finishedAt ?? report.requestedAt));
  if (report.state === 'failed') {
    const { message = 'no reason was recorded', hint } = report.error ?? {};
    return [
      `${title}: ${palette.red('failed')} at ${finished}: ${printable(message)}`,
      ...(hint === undefined ? [] : [`  ${printable(hint)}`]),
    ];
  }
  const { result } = report;
  if (result?.changed !== true) {
    const why = result?.note === undefined ? '' : `: ${printable(result.note)}`;
    return [`${title}: ${palette.green('done')} at ${finished}, nothing was changed${why}`];
  }
  if (result.mode === 'figures') {
    const { before = 0, after = 0 } = result.tokens ?? {};
    return [
      `${title}: ${palette.green('corrected')} at ${finished}, from ${formatCount(before)} to ${formatCount(after)}`,
    ];
  }
  const { statistics, tokens, backupPath } = result;
  return [
    `${title}: ${palette.green('done')} at ${finished}`,
    `  Tool calls: ${formatCount(statistics.toolCallsRemoved)} removed, ${formatCount(statistics.toolCallsTruncated)} truncated`,
    `  Context: ${formatCount(tokens.before)} → ${formatCount(tokens.after)} tokens (${tokens.basis})`,
    ...(backupPath === undefined ? [] : [`  Backup: ${shortenPath(backupPath, home)}`]),
  ];
}

import { formatCount, formatQuantity, printable } from '@openbot/sessions/terminal-text';
import type { BackupInfo, RestoreOutcome } from '../operations/results.ts';
import { describeChoice, undoCommand } from './chosen-session.ts';
import { formatMinute, formatSize } from './figures.ts';
import type { ReportOptions } from './report-options.ts';
import { rotatedLines } from './rotated-backups.ts';
import { shortenPath } from './short-path.ts';

export function formatRestore({ result, session, foundBy }: RestoreOutcome, options: ReportOptions): string {
  const { palette, home } = options;
  const choice = describeChoice(foundBy, session);
  const kept =
    result.linesKept === 0
      ? 'no lines'
      : `${formatQuantity(result.linesKept, 'line')}, kept after the restored ones`;
  const title = result.context.complete
    ? `${palette.green('✓')} Session restored`
    : `${palette.yellow('!')} Session restored, but the model does not read all of it`;
  const lines = [
    `${title}: ${palette.bold(printable(result.sessionId))}`,
    ...(choice === undefined ? [] : [`  Chosen: ${choice}`]),
    `  From: ${shortenPath(result.restoredFrom, home)}`,
    `  Size: ${formatSize(result.sizeBefore)} → ${formatSize(result.sizeAfter)}`,
    `  Added since the backup: ${kept}`,
    ...describeUnbound(result.thinkingUnbound),
    `  The model reads: ${describeContext(result.context)}`,
    ...describeLeft(result.context).map((line) => `  ${line}`),
    `  Backup: ${shortenPath(result.backupPath, home)}`,
    ...rotatedLines(result, session, options).map((line) => `  ${line}`),
    ...(result.note === undefined ? [] : [`  ${printable(result.note)}`]),
    `  Undo: ${palette.cyan(undoCommand(session, options))}`,
  ];
  return `${lines.join('\n')}\n`;
}

function describeUnbound(blocks: number | undefined): string[] {
  if (blocks === undefined) return [];
  return [
    `  Thinking: ${formatQuantity(blocks, 'block')} of these lines removed, because what comes before them changed and the provider would refuse them`,
  ];
}

type Context = RestoreOutcome['result']['context'];

function describeContext({ messages, toolCalls, toolResults, tokens, basis }: Context): string {
  return [
    formatQuantity(messages, 'message'),
    formatQuantity(toolCalls, 'tool call'),
    formatQuantity(toolResults, 'result'),
    `${formatCount(tokens)} tokens (${basis})`,
  ].join(', ');
}

function describeLeft({ toolCallsLeft }: Context): string[] {
  if (toolCallsLeft === 0) return [];
  const calls = formatQuantity(toolCallsLeft, 'tool call');
  return [`Not read: ${calls} that were restored, on a branch that the conversation has left`];
}

const MADE_BEFORE: Readonly<Record<BackupInfo['madeBefore'], string>> = {
  edit: 'before an edit',
  restore: 'before a restore',
  unknown: 'reason not recorded',
};

/** Newest first. */
export function formatBackups(
  sessionId: string,
  list: readonly BackupInfo[],
  { palette, home }: ReportOptions,
  whyNone = 'has not been edited',
): string {
  const id = printable(sessionId);
  if (list.length === 0) return `No backups of ${palette.bold(id)}: the session ${printable(whyNone)}.\n`;
  const rows = [...list]
    .sort((a, b) => b.number - a.number)
    .map((backup) => [
      backup.original ? 'original' : `#${backup.number}`,
      formatMinute(backup.createdAt),
      formatSize(backup.sizeBytes),
      MADE_BEFORE[backup.madeBefore],
      shortenPath(backup.path, home),
    ]);
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
    );
    return `  ${cells.join('  ').trimEnd()}`;
  });
  const original = list.some((backup) => backup.original) ? `, or ${palette.cyan('--original')},` : '';
  const hint = `Restore one with ${palette.cyan('--backup <number>')}${original} instead of --list.`;
  return [`Backups of ${palette.bold(id)}, newest first:`, ...lines, hint, ''].join('\n');
}

import { OpenBotError } from '@openbot/sessions';
import { writeJson } from '@openbot/sessions/command-line';
import { makeBackupFinder } from '../backups/backups.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { withWarnings } from '../finding/search-warning.ts';
import { executeRestore, explainNoBackups, listBackups } from '../operations/execute-restore.ts';
import { formatBackups, formatRestore } from '../report/restore.ts';
import { storageOf } from '../storage/all.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { keepsOriginal, type OccInput } from './command.ts';
import type { RESTORE_FLAGS } from './flags.ts';
import { reportOptionsOf } from './report-options.ts';
import { openSearch } from './search-scope.ts';
import { writeReport, writeWarnings } from './write-result.ts';

/** Puts a backup back, or shows which there are. */
export async function restore(input: OccInput<typeof RESTORE_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  if (flags.list) return showBackups(input);
  if (flags.original && flags.backup !== undefined) {
    throw new OpenBotError('USAGE', '--original and --backup contradict each other', {
      hint: 'Leave one of them out',
    });
  }
  const { scope, warnings } = openRestorable(input);
  const outcome = await executeRestore({
    scope,
    sessionId: input.words[0],
    backup: flags.backup,
    original: flags.original === true,
    keepOriginal: keepsOriginal(input),
    force: flags.force === true,
    waitMs: flags.wait === undefined ? undefined : flags.wait * 1000,
  });
  await input.host?.onChange?.(outcome.result, 'rewritten');
  if (flags.json) writeJson(terminal, withWarnings(outcome.result, warnings));
  else writeReport(terminal, formatRestore(outcome, reportOptionsOf(input, scope)));
}

/** A session without a backup is not among those to choose from. */
function openRestorable(input: OccInput<typeof RESTORE_FLAGS>): ReturnType<typeof openSearch> {
  const { scope, warnings } = openSearch(input);
  const hasBackup = makeBackupFinder();
  const isOffered = (session: FoundSession) => {
    try {
      return hasBackup(storageOf(session).transcriptPathOf(session));
    } catch {
      // Its id cannot be a file name, or its folder cannot be read.
      return false;
    }
  };
  return { scope: { ...scope, isOffered }, warnings };
}

async function showBackups(input: OccInput<typeof RESTORE_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  if (flags.backup !== undefined || flags.original) {
    throw new OpenBotError(
      'USAGE',
      `--list and ${flags.original ? '--original' : '--backup'} contradict each other`,
      { hint: '--list only shows; leave one of them out' },
    );
  }
  const { scope, warnings } = openRestorable(input);
  const { session } = await resolveSession(scope, input.words[0]);
  const backups = await listBackups(session);
  if (flags.json) {
    writeWarnings(terminal, warnings);
    writeJson(terminal, backups);
    return;
  }
  const whyNone = backups.length === 0 ? explainNoBackups(session) : undefined;
  writeReport(terminal, formatBackups(session.sessionId, backups, reportOptionsOf(input, scope), whyNone));
}

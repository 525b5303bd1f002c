import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { cutMiddle, formatQuantity, layOutTable, printable } from '@openbot/sessions/terminal-text';
import { parseDuration } from '../../config/duration.ts';
import type { PruneOutcome, SessionKeeper } from '../../kept-sessions/contract.ts';
import { confirm } from '../confirm.ts';
import type { PRUNE_FLAGS } from './flags.ts';
import { openChanges, openPlace } from './place.ts';
import { listUndoCommands } from './undo.ts';

const MOST_SHOWN = 20;

/** Removes sessions that are old or too many. */
export async function sessionsPrune(input: CommandInput<typeof PRUNE_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const limits = { maxAgeMs: readAge(flags.olderThan), maxEntries: flags.keep };
  const { keepers } = await openPlace(input);
  const planned = await prune(input, keepers, { ...limits, dryRun: true });
  const due = planned.flatMap(({ pruned }) => pruned).length;
  const isDry = flags.dryRun === true || due === 0;
  if (!isDry) {
    if (!flags.json && !flags.yes)
      terminal.say(listSessions(planned, 'would be removed', terminal.maxLineWidth));
    await confirm(input, `Remove ${formatQuantity(due, 'session')}, and archive their transcripts`);
  }
  const done = isDry ? planned : await prune(input, keepers, { ...limits, dryRun: false });
  if (flags.json) {
    writeJson(terminal, describe(input, done, flags.dryRun === true));
    return;
  }
  if (due === 0) {
    const kept = done.reduce((sum, one) => sum + one.kept, 0);
    terminal.say(`Nothing to remove: ${formatQuantity(kept, 'session')}, none too old and not too many\n`);
    return;
  }
  terminal.say(listSessions(done, isDry ? 'would be removed' : 'removed', terminal.maxLineWidth));
  if (isDry) return;
  // All of them: nothing else names a session that is gone.
  const undo = done.flatMap(({ pruned }) =>
    pruned.flatMap(({ sessionId, archived }) => listUndoCommands(input, sessionId, archived)),
  );
  terminal.say(undo.map((command) => `  To undo: ${printable(command)}\n`).join(''));
}

type Done = PruneOutcome & { readonly agentId: string };

async function prune(
  input: CommandInput<typeof PRUNE_FLAGS>,
  keepers: readonly SessionKeeper[],
  limits: { maxAgeMs?: number; maxEntries?: number; dryRun: boolean },
): Promise<Done[]> {
  const done: Done[] = [];
  for (const keeper of keepers.filter(({ exists }) => exists)) {
    const changes = await openChanges(input, keeper);
    done.push({ agentId: keeper.agentId, ...(await changes.prune(limits)) });
  }
  return done;
}

function listSessions(done: readonly Done[], what: string, width: number): string {
  const pruned = done.flatMap((one) => one.pruned);
  const kept = done.reduce((sum, one) => sum + one.kept, 0);
  const [, ...shown] = layOutTable(
    [
      { title: '', show: ({ key }) => printable(key), cut: cutMiddle, least: 12 },
      { title: '', show: ({ reason }) => (reason === 'age' ? 'not used for long' : 'more than are kept') },
    ],
    pruned.slice(0, MOST_SHOWN),
    width - 2,
  );
  const rest = pruned.length - shown.length;
  const lines = [
    `${formatQuantity(pruned.length, 'session')} ${what}, ${formatQuantity(kept, 'session')} ${what === 'removed' ? 'left' : 'would stay'}`,
    ...shown.map((line) => `  ${line}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    ...done.flatMap(({ failed }) => failed.map(({ key, error }) => `  ${key} stays: ${error.message}`)),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function describe(input: CommandInput<typeof PRUNE_FLAGS>, done: readonly Done[], dryRun: boolean) {
  return {
    dryRun,
    pruned: done.flatMap(({ pruned, agentId }) =>
      pruned.map(({ key, sessionId, reason, archived }) => ({
        key,
        agentId,
        sessionId,
        reason,
        archived,
        undo: listUndoCommands(input, sessionId, archived),
      })),
    ),
    failed: done.flatMap(({ failed }) =>
      failed.map(({ key, error: { code, message } }) => ({ key, code, message })),
    ),
    kept: done.reduce((sum, { kept }) => sum + kept, 0),
  };
}

function readAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  // A number alone could be days, hours or minutes.
  const ms = /^[\d.]+$/.test(text) ? undefined : parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new OpenBotError('USAGE', `--older-than must be a time with its unit, not '${text}'`, {
    hint: 'Example: --older-than 30d, or 12h',
  });
}

import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { formatQuantity, printable } from '@openbot/sessions/terminal-text';
import { confirm } from '../confirm.ts';
import { formatSize } from '../session-cells.ts';
import type { COMPACT_FLAGS } from './flags.ts';
import { openChanges, openSession } from './place.ts';
import { describeArchives, listUndoCommands } from './undo.ts';

/** Cuts a transcript to its last lines. */
export async function sessionsCompact(input: CommandInput<typeof COMPACT_FLAGS>): Promise<void> {
  const { flags, terminal, words } = input;
  const session = await openSession(input, words[0]);
  const { key, keeper, entry } = session;
  const changes = await openChanges(input, keeper);
  const lines = formatQuantity(flags.keepLines ?? 400, 'line');
  await confirm(
    input,
    `Cut the transcript of ${printable(key)} to its last ${lines}, and archive the whole one`,
  );
  const outcome = await changes.compact(session, flags.keepLines);
  const { reason, kept, removed, archived, sizeBefore, sizeAfter } = outcome;
  const { sessionId } = entry;
  const all = archived === undefined ? [] : [archived];
  if (flags.json) {
    writeJson(terminal, {
      key,
      sessionId,
      compacted: reason === undefined,
      reason,
      kept,
      removed,
      sizeBefore,
      sizeAfter,
      archived: all,
      undo: listUndoCommands(input, sessionId, all),
    });
    return;
  }
  if (reason !== undefined) {
    const why = reason === 'no transcript' ? 'it has none yet' : `it has ${formatQuantity(kept, 'line')}`;
    terminal.say(`${printable(`The transcript of ${key} stays as it is: ${why}`)}\n`);
    return;
  }
  const change = `${formatQuantity(removed, 'line')} removed, ${kept} kept`;
  const sizes = `${formatSize(sizeBefore)} → ${formatSize(sizeAfter)}`;
  terminal.say(`${printable(`${key}: ${change}, ${sizes}`)}\n${describeArchives(input, sessionId, all)}`);
}

import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { confirm } from '../confirm.ts';
import type { CHANGE_FLAGS } from './flags.ts';
import { openChanges, openSession } from './place.ts';
import { describeArchives, listUndoCommands } from './undo.ts';

/** Removes a session. */
export async function sessionsDelete(input: CommandInput<typeof CHANGE_FLAGS>): Promise<void> {
  const { flags, terminal, words } = input;
  const session = await openSession(input, words[0]);
  const { key, keeper, entry } = session;
  const changes = await openChanges(input, keeper);
  await confirm(input, `Delete ${printable(key)}, and archive its transcript`);
  const { archived } = await changes.remove(session);
  const { sessionId } = entry;
  if (flags.json) {
    writeJson(terminal, { key, sessionId, archived, undo: listUndoCommands(input, sessionId, archived) });
    return;
  }
  terminal.say(
    `${printable(`Deleted ${key} (${sessionId})`)}\n${describeArchives(input, sessionId, archived)}`,
  );
}

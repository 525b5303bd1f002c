import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { confirm } from '../confirm.ts';
import type { CHANGE_FLAGS } from './flags.ts';
import { openChanges, openSession } from './place.ts';
import { describeArchives, listUndoCommands } from './undo.ts';

/** Begins a session anew. */
export async function sessionsReset(input: CommandInput<typeof CHANGE_FLAGS>): Promise<void> {
  const { flags, terminal, words } = input;
  const session = await openSession(input, words[0]);
  const { key, keeper, entry } = session;
  const changes = await openChanges(input, keeper);
  await confirm(input, `Begin ${printable(key)} anew, and archive its transcript`);
  const { sessionId, archived } = await changes.reset(session);
  const previousSessionId = entry.sessionId;
  if (flags.json) {
    const undo = listUndoCommands(input, previousSessionId, archived);
    writeJson(terminal, { key, sessionId, previousSessionId, archived, undo });
    return;
  }
  const done = printable(`${key} begins anew with session ${sessionId}, after ${previousSessionId}`);
  terminal.say(`${done}\n${describeArchives(input, previousSessionId, archived)}`);
}

import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { confirm } from '../confirm.ts';
import { changeChosen } from './change-chosen.ts';
import { chooseLetters } from './choose-letters.ts';
import type { LETTERS, OUTBOX_DROP_FLAGS } from './flags.ts';

/** Removes dead letters, and by their ids those that wait. */
export async function outboxDrop(
  input: CommandInput<typeof OUTBOX_DROP_FLAGS, readonly [typeof LETTERS]>,
): Promise<void> {
  const { flags, env, terminal, words } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const letters = chooseLetters(stateDir, words, flags.all, { waiting: true });
  if (letters.length > 0)
    await confirm(
      input,
      `Remove ${letters.length === 1 ? 'a letter' : `${letters.length} letters`} for good`,
    );
  const dropped = await changeChosen({ stateDir, local: flags.local }, letters, 'drop');
  if (flags.json) return writeJson(terminal, { dropped });
  terminal.say(
    dropped.length === 0
      ? flags.all
        ? 'No dead letters.\n'
        : 'It is being sent.\n'
      : `Removed: ${dropped.join(', ')}.\n`,
  );
}

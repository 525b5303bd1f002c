import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { changeChosen } from './change-chosen.ts';
import { chooseLetters } from './choose-letters.ts';
import type { LETTERS, OUTBOX_RETRY_FLAGS } from './flags.ts';

/** Puts dead letters back into the outbox, from which the process that has their channel sends them. */
export async function outboxRetry(
  input: CommandInput<typeof OUTBOX_RETRY_FLAGS, readonly [typeof LETTERS]>,
): Promise<void> {
  const { flags, env, terminal, words } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const letters = chooseLetters(stateDir, words, flags.all);
  const retried = await changeChosen({ stateDir, local: flags.local }, letters, 'retry');
  if (flags.json) return writeJson(terminal, { retried });
  terminal.say(
    retried.length === 0
      ? 'No dead letters.\n'
      : `${retried.length === 1 ? 'Letter' : 'Letters'} ${retried.join(', ')} will be sent by the process that has the channel.\n`,
  );
}

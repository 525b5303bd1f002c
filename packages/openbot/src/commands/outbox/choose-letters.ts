import { OpenBotError } from '@openbot/sessions';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { type Letter, lookIntoLetters } from '../../kept-messages/look-into-messages.ts';

/** The dead letters that ids or `--all` name, by ids also those that wait. Throws USAGE, and LETTER_NOT_FOUND for an id of none. */
export function chooseLetters(
  stateDir: string,
  words: readonly (string | undefined)[],
  all: boolean | undefined,
  { waiting = false }: { readonly waiting?: boolean } = {},
): readonly Letter[] {
  const ids = words.map(readId);
  if (ids.length > 0 === (all === true)) {
    throw new OpenBotError(
      'USAGE',
      ids.length > 0 ? 'Ids and --all contradict each other' : 'Which letter?',
      {
        hint: "Give ids, or --all; 'openbot outbox list' shows the ids",
      },
    );
  }
  const letters = lookIntoLetters(stateDir, {
    limit: Number.MAX_SAFE_INTEGER,
    all: waiting && !all,
  }).filter(({ state }) => state !== 'sending');
  if (all) return letters;
  const missing = ids.find((id) => !letters.some((letter) => letter.id === id));
  if (missing !== undefined) {
    throw new OpenBotError('LETTER_NOT_FOUND', `There is no ${waiting ? '' : 'dead '}letter ${missing}`, {
      hint: `'openbot outbox list${waiting ? ' --all' : ''}' shows them`,
    });
  }
  return letters.filter(({ id }) => ids.includes(id));
}

function readId(word = ''): number {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  throw new OpenBotError('USAGE', `${quoteForShell(word)} is not the id of a letter`, {
    hint: "An id is a number; 'openbot outbox list' shows them",
  });
}

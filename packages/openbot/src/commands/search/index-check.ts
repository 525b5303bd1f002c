import { OpenBotError } from '@openbot/sessions';
import { FaultsFound, writeJson } from '@openbot/sessions/command-line';
import { formatQuantity, printable } from '@openbot/sessions/terminal-text';
import { checkIndex, type Difference } from '../../index-writing/check.ts';
import { listPlacesOf } from '../../index-writing/known-places.ts';
import { type IndexInput, locateIndex } from './open-index.ts';

const MEANINGS: Readonly<Record<Difference['kind'], string>> = {
  missing: 'not indexed yet',
  stale: 'has changed since',
  extra: 'has no transcript any more',
  wrong: 'differs from its transcript',
};

const MOST_SHOWN = 20;

/** Compares the index with the transcripts. Throws FaultsFound where they differ. */
export async function indexCheck(input: IndexInput): Promise<void> {
  const { flags, terminal, env, cwd } = input;
  const { path, places, open } = await locateIndex(input);
  const all = flags.source === undefined ? await listPlacesOf(path, places, { env, cwd }) : places;
  const differences: (Difference & { source: string })[] = [];
  let sessions = 0;
  let messages = 0;
  let fault: string | undefined;
  try {
    const database = await open(['damaged', 'older', 'locked']);
    try {
      for (const place of all) {
        const found = await checkIndex(database, place);
        sessions += found.sessions;
        messages += found.messages;
        differences.push(...found.differences.map((one) => ({ ...one, source: place.source })));
      }
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof OpenBotError) || error.code !== 'INDEX_UNUSABLE') throw error;
    fault = error.message;
  }
  const ok = differences.length === 0 && fault === undefined;
  const hint = ok ? undefined : adviseOn(differences, fault);
  if (flags.json) writeJson(terminal, { path, ok, sessions, messages, fault, hint, differences });
  else if (ok) {
    terminal.say(
      `The index has ${formatQuantity(messages, 'message')} of ${formatQuantity(sessions, 'session')}, as the transcripts have them.\n`,
    );
  } else {
    for (const { kind, sessionId, path: place } of differences.slice(0, MOST_SHOWN)) {
      terminal.say(
        `${terminal.palette.yellow(kind.padEnd(7))}  ${printable(sessionId)}  ${MEANINGS[kind]}\n${terminal.palette.dim(`         ${printable(place)}`)}\n`,
      );
    }
    if (differences.length > MOST_SHOWN) terminal.say(`… and ${differences.length - MOST_SHOWN} more\n`);
    terminal.say(`${terminal.palette.red('✗')} ${printable(fault ?? describe(differences))}\n  ${hint}\n`);
  }
  if (!ok) throw new FaultsFound();
}

function describe(differences: readonly Difference[]): string {
  return `The index differs from the transcripts in ${formatQuantity(differences.length, 'session')}`;
}

function adviseOn(differences: readonly Difference[], fault: string | undefined): string {
  const isBehind = fault === undefined && differences.every(({ kind }) => kind !== 'wrong');
  return isBehind
    ? 'It is only behind: the next search brings it up to date'
    : 'openbot index rebuild makes it anew from the transcripts, which are not changed';
}

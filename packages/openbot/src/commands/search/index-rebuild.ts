import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeJson } from '@openbot/sessions/command-line';
import { formatQuantity, printable } from '@openbot/sessions/terminal-text';
import { identify, moveAside, removeAside } from '../../index-db/move-aside.ts';
import { carryOver } from '../../index-writing/carry-over.ts';
import { listPlacesOf } from '../../index-writing/known-places.ts';
import { placeOfState } from '../../index-writing/session-source.ts';
import { formatSize } from '../session-cells.ts';
import { bringUpToDate, type IndexInput, locateIndex } from './open-index.ts';

/** Makes the index anew from the transcripts. */
export async function indexRebuild(input: IndexInput): Promise<void> {
  const { flags, terminal, env, cwd } = input;
  const started = performance.now();
  const { path, places, open } = await locateIndex(input);
  // The whole index is removed, so all that was in it is indexed again: what was asked for, and our own sessions.
  const known = await listPlacesOf(path, places, { env, cwd });
  const own = dirname(path);
  const all =
    existsSync(own) && known.every(({ root }) => root !== own)
      ? [placeOfState(own, { env, cwd }), ...known]
      : known;
  const old = await moveAside(path, identify(path));
  const database = await open();
  try {
    const { sessions, bytes, faults } = await bringUpToDate(input, database, all);
    if (old !== undefined) {
      await carryOver(old, database);
      removeAside(old);
    }
    const messages = await database.read(
      () => database.prepare('SELECT count(*) AS n FROM messages').get()?.n as number,
    );
    const durationMs = Math.round(performance.now() - started);
    if (flags.json) {
      const told = faults.map((fault) => ({ path: fault.path, message: (fault.error as Error).message }));
      writeJson(terminal, { path, sessions, messages, bytes, durationMs, faults: told });
      return;
    }
    const of = `${formatQuantity(messages, 'message')} of ${formatQuantity(sessions, 'session')}`;
    const size = `${formatSize(bytes)} in ${(durationMs / 1000).toFixed(1)} s`;
    terminal.say(`Indexed ${of} (${size}).\n${terminal.palette.dim(printable(path))}\n`);
  } finally {
    database.close();
  }
}

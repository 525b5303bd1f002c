import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { openIndexDatabase } from '../index-db/index-database.ts';
import { placeOfProgram, placeOfState, type SessionsPlace } from './session-source.ts';

/** These places, and all others of which the index has sessions. One that cannot be read has none. */
export async function listPlacesOf(
  path: string,
  places: readonly SessionsPlace[],
  scope: Parameters<typeof placeOfProgram>[1],
): Promise<SessionsPlace[]> {
  if (!existsSync(path)) return [...places];
  let known: { source: string; root: string }[];
  try {
    const database = await openIndexDatabase(path, { leaveAlone: ['damaged', 'older', 'locked'] });
    known = (await database
      .read(() => database.prepare("SELECT DISTINCT source, root FROM files WHERE kind = 'transcript'").all())
      .finally(() => database.close())) as typeof known;
  } catch {
    return [...places];
  }
  const programs = (['openclaw', 'pi', 'claude'] as const)
    .flatMap((source) => placeOfProgram(source, scope) ?? [])
    .filter(({ root }) => known.some((one) => one.root === root));
  // The folder of the index, and those of OpenClaw that were named.
  const folders = known
    .filter(({ source, root }) => root === dirname(path) || (source === 'openclaw' && existsSync(root)))
    .map(({ root }) => placeOfState(root, scope));
  return [...new Map([...folders, ...programs, ...places].map((place) => [place.root, place])).values()];
}

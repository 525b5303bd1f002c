import { readStoredSession } from '../agent-database.ts';
import type { Scene } from '../scene.ts';

/**
 * Waits until the entry says less than `tokens`. A run that was cleaned under way records at its end what it had in
 * memory; occ corrects that from outside, a moment later.
 */
export async function waitForCorrectedFigures(scene: Scene, key: string, tokens: number): Promise<void> {
  await scene.waitFor('the figures of the run are corrected after its end', () => {
    const entry = readStoredSession(scene.home.state, key)?.entry;
    const isOurs = entry?.totalTokensFresh === false;
    return entry?.status !== 'running' && isOurs && Number(entry?.totalTokens) < tokens;
  });
}

import { dirname } from 'node:path';
import { openFileSessionStore, pruneSessions } from '@openbot/sessions';
import type { PruneLimits, PruneOutcome } from '../contract.ts';
import { holdRuns } from './in-use.ts';
import { keepEntries } from './keep-entries.ts';
import type { FileKeeperPlace } from './place.ts';

/** How many runs are held at once. */
const BATCH = 64;

/** Removes sessions that are old or too many, while no process can begin to run them. Those that one runs stay. */
export async function pruneFiles(
  place: FileKeeperPlace,
  { dryRun, ...limits }: PruneLimits,
): Promise<PruneOutcome> {
  const { storePath, agentId, mainKey } = place;
  const request = { storePath, agentId, mainKey, ...limits };
  const stay = new Set<string>();
  const pruned: PruneOutcome['pruned'][number][] = [];
  const failed: PruneOutcome['failed'][number][] = [];
  for (;;) {
    const plan = await pruneSessions({ ...request, dryRun: true, activeKeys: stay });
    if (dryRun) return { pruned: plan.pruned.map(rename), failed, kept: plan.kept };
    if (plan.pruned.length === 0) return { pruned, failed, kept: plan.kept };
    const runs = await holdRuns(place, nextKeys(plan.pruned));
    try {
      const done = await pruneHeld(request, new Set(runs.free));
      pruned.push(...done.pruned);
      failed.push(...done.failed);
      const gone = new Set(done.pruned.map(({ key }) => key));
      for (const key of nextKeys(plan.pruned)) if (!gone.has(key)) stay.add(key);
    } finally {
      await runs.release();
    }
  }
}

interface Due {
  readonly sessionKey: string;
  readonly sessionId: string;
}

/** Of keys that share one session the first: the others are due in a later round. */
function nextKeys(due: readonly Due[]): string[] {
  const keys = new Map<string, string>();
  for (const { sessionKey, sessionId } of due) if (!keys.has(sessionId)) keys.set(sessionId, sessionKey);
  return [...keys.values()].slice(0, BATCH);
}

async function pruneHeld(
  request: Parameters<typeof pruneSessions>[0],
  keys: ReadonlySet<string>,
): Promise<Pick<PruneOutcome, 'pruned' | 'failed'>> {
  const store = openFileSessionStore(request.storePath);
  const sessions = (await store.list()).filter(({ key }) => keys.has(key));
  const entries = await keepEntries(dirname(request.storePath), 'deleted', sessions);
  const pruned: PruneOutcome['pruned'][number][] = [];
  try {
    const report = await pruneSessions({
      ...request,
      now: () => entries.at,
      keep: (key) => !sessions.some((session) => session.key === key),
    });
    for (const one of report.pruned) {
      const archived = await entries.settle(one.sessionKey, one.archived, 'alone');
      pruned.push({ ...rename(one), archived });
    }
    return { pruned, failed: report.failed.map(({ sessionKey: key, error }) => ({ key, error })) };
  } finally {
    const gone = new Set(pruned.map(({ key }) => key));
    await entries.dropLiving(store, (key) => !gone.has(key));
  }
}

function rename<T extends Due>({ sessionKey: key, ...rest }: T) {
  return { key, ...rest };
}

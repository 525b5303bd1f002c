/** `sessions.list` over WebSocket: a page of 100 of 5,000 sessions, with titles and the last words of each. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileSessionStore } from '@openbot/sessions';
import { machineLoad, placeSessions, processorTimesOf, startBenchGateway } from './gateway-fixture.ts';
import { type BenchRow, percentile, timesOf } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { againstOpenclaw } from './openclaw-gateway.ts';
import { ENTRIES, keyOf } from './store-fixture.ts';

const RUNS = 300;
const LIMIT_MS = 8;
const OPENCLAW_RUNS = 30;
const WHOLE = { includeDerivedTitles: true, includeLastMessage: true };

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const stateDir = join(folder, 'state');
    const path = await placeSessions(stateDir, ENTRIES, 200);
    const { client, pids, close } = await startBenchGateway(stateDir);
    const list = (params: object) => client.call('sessions.list', params);
    const [first] = await timesOf(1, () => list(WHOLE));
    const [before] = processorTimesOf(pids());
    const ours = await timesOf(RUNS, () => list(WHOLE));
    const used = (processorTimesOf(pids())[0]! - before!) / RUNS;
    const searched = await timesOf(RUNS, () => list({ search: 'telegram:dm:1023' }));
    const text = await readFile(path, 'utf8');
    const parsed = percentile(await timesOf(30, async () => JSON.parse(text)), 0.5);
    // Between two lists a turn ends, and its entry is another.
    const store = openFileSessionStore(path);
    const changed: number[] = [];
    for (let round = 0; round < 30; round++) {
      await store.update(keyOf(7), (entry) => entry && { ...entry, updatedAt: Date.now() + round });
      changed.push(...(await timesOf(1, () => list({}))));
    }
    changed.sort((one, other) => one - other);
    await store.close();
    await close();
    const p95 = percentile(ours, 0.95);
    const p50 = percentile(ours, 0.5);
    const show = (ms: number) => `${ms.toFixed(2)} ms`;
    const openclaw = await againstOpenclaw(ENTRIES, async ({ client: other }) => {
      // They have no transcripts there, and so neither titles nor last words of them.
      const theirs = await timesOf(OPENCLAW_RUNS, () => other.call('sessions.list', { limit: 100 }));
      return [
        {
          name: 'sessions.list over WebSocket, a page of 100 of 5,000 sessions, p50',
          ours: p50,
          openclaw: percentile(theirs, 0.5),
          show,
          better: 'lower',
        },
      ];
    });
    return [
      {
        name: 'sessions.list over WebSocket, a page of 100 of 5,000 sessions, p95',
        ours: show(p95),
        peer: `${LIMIT_MS} ms`,
        ratio: p95 / LIMIT_MS,
        limit: 1,
        better: 'lower',
        details: `p50 ${show(p50)}, fastest ${show(ours[0]!)}, ${show(used)} of the gateway's processor time each, the first ${show(first!)}; search p95 ${show(percentile(searched, 0.95))}; after a change of the store p50 ${show(percentile(changed, 0.5))}; ${machineLoad()}`,
      },
      {
        name: 'sessions.list against JSON.parse of the same store',
        ours: show(p50),
        peer: show(parsed),
        ratio: p50 / parsed,
        limit: 0.5,
        better: 'lower',
      },
      ...openclaw,
    ];
  });
}

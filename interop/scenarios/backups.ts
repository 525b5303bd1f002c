/** What OpenClaw's own commands make of the backups that occ keeps beside the sessions. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { runOpenclaw } from '../commands.ts';
import type { Scenario, Scene } from '../scene.ts';
import { say } from '../script.ts';
import { tellThreeTurns, WHOLE } from './telling.ts';

const LONG_AGO = new Date('2026-01-01T00:00:00Z');

export const backupsLeftAlone: Scenario = {
  name: 'backups: usage, doctor and cleanup of OpenClaw leave them alone',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await scene.occ('edit', talk.key, '--strip-tools', '--keep', '2', '--truncate', '0');
    const once = await readUsage(scene);
    ok(once.totalTokens > 0, 'no usage is recorded');
    await scene.occ('restore', talk.key);
    await scene.occ('edit', talk.key, '--strip-tools', '--keep', '2', '--truncate', '0');
    deepEqual(await readUsage(scene), once, 'tokens and cost with more backups of the same session');

    const folder = join(scene.home.state, 'agents/main/sessions/backups');
    const backups = readdirSync(folder).sort();
    ok(backups.filter((name) => name.endsWith('.jsonl')).length >= 3, 'there are no backups');
    for (const name of backups) utimesSync(join(folder, name), LONG_AGO, LONG_AGO);
    const said = await runOpenclaw(scene.install, scene.home, ['doctor', '--non-interactive']);
    deepEqual(
      said.split('\n').filter((line) => /backups?[./]|orphan/i.test(line)),
      [],
      'what doctor says of them',
    );
    await runOpenclaw(scene.install, scene.home, ['sessions', 'cleanup', '--enforce', '--json']);
    deepEqual(readdirSync(folder).sort(), backups, 'after the cleanup');

    await scene.occ('restore', talk.key);
    await talk.tell('fourth question', say('fourth answer'));
    scene.expectHeard('fourth question', [...WHOLE, 'person: fourth question']);
    await scene.expectNoCompaction();
  },
};

interface Usage {
  readonly totalTokens: number;
  readonly totalCost: number;
  readonly sessions: string[];
}

/** OpenClaw counts in the background; until it is done its answer is not whole. */
async function readUsage(scene: Scene): Promise<Usage> {
  let usage: Usage | undefined;
  await scene.waitFor('usage is counted', async () => {
    const answer = (await scene.gateway.client().request('sessions.usage', {})) as {
      totals: { totalTokens: number; totalCost: number };
      sessions: { key: string }[];
      cacheStatus?: { status?: string };
    };
    const { totalTokens, totalCost } = answer.totals;
    usage = { totalTokens, totalCost, sessions: answer.sessions.map(({ key }) => key).sort() };
    return answer.cacheStatus?.status !== 'refreshing';
  });
  equal(
    usage?.sessions.some((key) => key.includes('backup')),
    false,
    'a backup is counted as a session',
  );
  return usage as Usage;
}

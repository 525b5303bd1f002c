import { deepEqual, equal } from 'node:assert/strict';
import type { Scenario, Scene } from '../scene.ts';
import { say } from '../script.ts';
import { tellThreeTurns } from './telling.ts';

/** What the documentation says of the gateway's list, and the edit where a gateway runs. */
export const listedFigures: Scenario = {
  name: "the gateway's list after a clean: at once on files, on SQLite from the next turn on at the latest, as occ says",
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell, 'large');
    const before = await readListed(scene, talk.key);
    const { note } = await scene.occ('edit', talk.key, '--strip-tools=extreme');
    const after = await readListed(scene, talk.key);
    // On SQLite the gateway keeps its rows until something makes it read the session again; its own upkeep may do so first.
    const isOld = scene.era === 'sqlite' && after.totalTokens === before.totalTokens;
    equal(after.totalTokensFresh, isOld);
    if (scene.era === 'sqlite') {
      equal(note, 'A running gateway may list the old token count until the next turn of this session.');
    }
    await talk.tell('fourth question', say('fourth answer'));
    const { totalTokens = 0, totalTokensFresh } = await readListed(scene, talk.key);
    deepEqual([totalTokensFresh, totalTokens < (before.totalTokens ?? 0) / 2], [true, true]);
    await scene.expectNoCompaction();
  },
};

interface Listed {
  readonly totalTokens?: number;
  readonly totalTokensFresh?: boolean;
}

async function readListed(scene: Scene, key: string): Promise<Listed> {
  const { sessions } = (await scene.gateway.client().request('sessions.list', {})) as {
    sessions: ({ key: string } & Listed)[];
  };
  const row = sessions.find((session) => session.key === key);
  return { totalTokens: row?.totalTokens, totalTokensFresh: row?.totalTokensFresh } as Listed;
}

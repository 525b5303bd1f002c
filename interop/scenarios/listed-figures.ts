import { deepEqual, equal } from 'node:assert/strict';
import type { Scenario, Scene } from '../scene.ts';
import { say } from '../script.ts';
import { tellThreeTurns } from './telling.ts';

/** What the documentation says of the gateway's list, and the edit where a gateway runs. */
export const listedFigures: Scenario = {
  name: "the gateway's list after a clean: at once on files, on SQLite from the next turn on, as occ says",
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell, 'large');
    const before = await readListed(scene, talk.key);
    const { note } = await scene.occ('edit', talk.key, '--strip-tools=extreme');
    const after = await readListed(scene, talk.key);
    if (scene.era === 'files') {
      equal(after.totalTokensFresh, false);
    } else {
      deepEqual(after, before, 'the list is right at once: the documentation and the note are not');
      equal(note, 'A running gateway lists the old token count until the next turn of this session.');
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

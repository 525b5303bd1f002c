/** The state folder of the file era is taken over by the SQLite era. The last scenario: nothing is as it was afterwards. */
import { equal, ok } from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { runOpenclaw } from '../commands.ts';
import { makeGateway } from '../gateway.ts';
import { ensureOpenclaw } from '../install-openclaw.ts';
import type { Scenario, Scene } from '../scene.ts';
import { say } from '../script.ts';
import { openConversation } from '../stage.ts';
import { tellThreeTurns, WHOLE } from './telling.ts';

export const migration: Scenario = {
  name: 'OpenClaw moves the sessions into its database: backups are found where they are, and where it put old ones',
  async run(scene) {
    await scene.gateway.start();
    const [kept, moved] = [scene.open(), scene.open()];
    for (const talk of [kept, moved]) {
      await tellThreeTurns(talk.tell);
      await scene.occ('edit', talk.key, '--strip-tools=extreme');
    }
    await scene.gateway.stop();
    const sessions = join(scene.home.state, 'agents/main/sessions');
    const { sessionId } = await scene.occ('info', moved.key);
    putWhereEarlierVersionsKeptThem(sessions, String(sessionId));

    const install = await ensureOpenclaw('sqlite');
    await runOpenclaw(install, scene.home, ['doctor', '--fix', '--non-interactive']);
    const archive = readdirSync(join(scene.home.state, 'agents/main/session-sqlite-import-archive'));
    ok(
      archive.some((name) => name.includes(`${String(sessionId)}.backup.1.jsonl`)),
      'OpenClaw did not move the backup beside the session',
    );
    equal(readdirSync(sessions).includes('sessions.json'), false, 'the sessions are still in files');

    for (const { key } of [kept, moved]) equal((await scene.occ('restore', key)).success, true);
    await hearInDatabase(scene, install, [kept.key, moved.key]);
  },
};

/** Earlier versions of occ kept backups among the sessions. */
function putWhereEarlierVersionsKeptThem(sessions: string, sessionId: string): void {
  const folder = join(sessions, 'backups');
  for (const name of readdirSync(folder)) {
    if (name.startsWith(sessionId)) renameSync(join(folder, name), join(sessions, name));
  }
}

async function hearInDatabase(
  scene: Scene,
  install: Scene['install'],
  keys: readonly string[],
): Promise<void> {
  const gateway = makeGateway(install, scene.home);
  try {
    await gateway.start();
    for (const [place, key] of keys.entries()) {
      const talk = openConversation({ ...scene, install, gateway }, key);
      await talk.tell(`question ${place}`, say('answer'));
      scene.expectHeard(`question ${place}`, [...WHOLE, `person: question ${place}`]);
    }
  } finally {
    await gateway.stop();
  }
}

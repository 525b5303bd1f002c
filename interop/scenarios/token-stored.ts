/** The file era keeps tokens and its memory index in a database that has no sessions. */
import { ok } from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath } from '../agent-database.ts';
import { runOpenclaw } from '../commands.ts';
import type { Scenario, Scene } from '../scene.ts';
import { say } from '../script.ts';
import type { Conversation } from '../stage.ts';
import { tellThreeTurns, WHOLE, WITHOUT_TOOLS } from './telling.ts';

export const tokenStored: Scenario = {
  name: 'a token was stored, so there is a database without sessions: all commands work on the files',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    // It changes the settings, and a gateway that runs would start anew.
    await scene.gateway.stop();
    const settings = join(scene.home.state, 'openclaw.json');
    const before = readFileSync(settings);
    try {
      const store = ['models', 'auth', 'paste-token', '--provider', 'elsewhere'];
      await runOpenclaw(scene.install, scene.home, store, { input: 'token-of-nobody' });
      await scene.gateway.start();
      ok(existsSync(databasePath(scene.home.state)), 'OpenClaw made no database');
      await useAllCommands(scene, talk);
    } finally {
      // A provider that is not in OpenClaw's list keeps a later version from migrating this folder.
      await scene.gateway.stop();
      writeFileSync(settings, before);
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(databasePath(scene.home.state) + suffix, { force: true });
    }
  },
};

async function useAllCommands(scene: Scene, talk: Conversation): Promise<void> {
  const listed = JSON.stringify(await scene.occ('list'));
  ok(listed.includes(talk.key), 'occ does not list the session');
  await scene.occ('info', talk.key);
  const { clonedSessionId } = await scene.occ('clone', talk.key, '--strip-tools=extreme');
  const copy = scene.open(`agent:main:clone:${String(clonedSessionId)}`);
  await copy.tell('question to the clone', say('answer of the clone'));
  scene.expectHeard('question to the clone', [...WITHOUT_TOOLS, 'person: question to the clone']);
  await scene.occ('edit', talk.key, '--strip-tools=extreme');
  await talk.tell('fourth question', say('fourth answer'));
  scene.expectHeard('fourth question', [...WITHOUT_TOOLS, 'person: fourth question']);
  await scene.occ('restore', talk.key);
  await talk.tell('fifth question', say('fifth answer'));
  const since = ['person: fourth question', 'agent: fourth answer'];
  scene.expectHeard('fifth question', [...WHOLE, ...since, 'person: fifth question']);
  await scene.expectNoCompaction();
}

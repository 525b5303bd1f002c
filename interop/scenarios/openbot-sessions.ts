/** `openbot sessions` on the folder of a real OpenClaw: it prints the same, and what it changes OpenClaw goes on with. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type OpenbotAnswer, runOpenbot } from '../commands.ts';
import { THINKING_MODEL } from '../openclaw-home.ts';
import type { Scenario, Scene } from '../scene.ts';
import { say } from '../script.ts';

interface Listed {
  readonly sessions: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

/** Ages differ by the time between the two commands. */
function withoutAges({ sessions, ...list }: Listed): object {
  return { ...list, sessions: sessions.map(({ ageMs: _, ...row }) => row) };
}

async function list(scene: Scene, ...flags: string[]): Promise<Listed> {
  return (await scene.openclaw('sessions', '--json', ...flags)) as Listed;
}

async function openbot(scene: Scene, ...args: string[]): Promise<OpenbotAnswer> {
  return runOpenbot(scene.home, [...args, '--state-dir', scene.home.state]);
}

const FLAGS: readonly (readonly string[])[] = [
  [],
  ['--all-agents'],
  ['--agent', 'main', '--limit', '1'],
  ['--active', '600', '--limit', 'all'],
];

export const sameSessions: Scenario = {
  name: 'openbot sessions --json is openclaw sessions --json, field by field',
  async run(scene) {
    await scene.gateway.start();
    const direct = scene.open();
    await direct.tell('first question', say('first answer'));
    const group = scene.open('agent:main:telegram:group:-100123:topic:42');
    await group.tell('group question', say('group answer'));
    const set = scene.open();
    await set.tell('a question before settings', say('an answer'));
    const client = scene.gateway.client();
    await client.request('sessions.patch', { key: set.key, label: 'a label', verboseLevel: 'on' });
    await client.request('sessions.patch', { key: direct.key, model: THINKING_MODEL });
    await client.request('sessions.reset', { key: group.key });
    await scene.gateway.stop();
    await scene.open().tellLocally('a local question', say('a local answer'));
    for (const flags of FLAGS) {
      const theirs = await list(scene, ...flags);
      ok(theirs.sessions.length > 0, `OpenClaw lists sessions with ${flags.join(' ')}`);
      const ours = (await openbot(scene, 'sessions', ...flags)) as unknown as Listed;
      deepEqual(withoutAges(ours), withoutAges(theirs), `openbot sessions ${flags.join(' ')}`);
    }
  },
};

export const labelled: Scenario = {
  name: 'a label of openbot is OpenClaw’s too, and the session goes on',
  async run(scene) {
    await scene.gateway.stop();
    const talk = scene.open();
    await talk.tellLocally('question before the label', say('answer before the label'));
    await openbot(scene, 'sessions', 'label', talk.key, 'by openbot');
    const { sessions } = await list(scene);
    equal(sessions.find(({ key }) => key === talk.key)?.label, 'by openbot');
    await talk.tellLocally('question after the label', say('answer after the label'));
    scene.expectHeard('question after the label', [
      'person: question before the label',
      'agent: answer before the label',
      'person: question after the label',
    ]);
  },
};

/** Files only: what is in a database is left to OpenClaw. */
export const removedAndBack: Scenario = {
  name: 'openbot resets, deletes and restores a session of OpenClaw, which goes on with it',
  async run(scene) {
    await scene.gateway.stop();
    const talk = scene.open();
    await talk.tellLocally('question before the reset', say('answer before the reset'));
    const { previousSessionId } = await openbot(scene, 'sessions', 'reset', talk.key, '--yes');
    await talk.tellLocally('question after the reset', say('answer after the reset'));
    scene.expectHeard('question after the reset', ['person: question after the reset']);
    await openbot(scene, 'sessions', 'restore', String(previousSessionId), '--yes');
    await openbot(scene, 'sessions', 'delete', talk.key, '--yes');
    const { sessions } = await list(scene);
    equal(
      sessions.find(({ key }) => key === talk.key),
      undefined,
    );
    await openbot(scene, 'sessions', 'restore', String(previousSessionId), '--yes');
    await talk.tellLocally('question after all', say('answer after all'));
    scene.expectHeard('question after all', [
      'person: question before the reset',
      'agent: answer before the reset',
      'person: question after all',
    ]);
  },
};

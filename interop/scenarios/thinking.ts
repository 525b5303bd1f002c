/** Sessions of a model whose thinking OpenClaw sends back: the provider refuses what a clean must not leave behind. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { changeLine } from '../change-line.ts';
import { THINKING_MODEL } from '../openclaw-home.ts';
import type { Scenario, Scene } from '../scene.ts';
import { call, exec, note, say } from '../script.ts';
import type { Conversation } from '../stage.ts';

/** A conversation with a model that thinks, under a new key or one that exists. */
export async function openThinking(
  scene: Scene,
  key?: string,
  model = THINKING_MODEL,
): Promise<Conversation> {
  const talk = scene.open(key);
  const params = { key: talk.key, model, thinkingLevel: 'low' };
  await scene.gateway.client().request('sessions.patch', params);
  return talk;
}

/** Each turn has two steps with words, three calls and thinking, and thinking before its answer. */
export async function tellThoughtfulTurns(talk: Conversation, count: number): Promise<void> {
  for (let turn = 1; turn <= count; turn++) {
    await talk.tell(
      `question ${turn}`,
      note('let me see'),
      call(exec('seq 1 300')),
      note('and this'),
      call(exec('seq 301 600'), exec(`echo ${turn}`)),
      say(`answer ${turn}`),
    );
  }
}

export const thinkingControl: Scenario = {
  name: 'control: a model that thinks is shown its thinking of all turns, in a session that was not cleaned',
  async run(scene) {
    await scene.gateway.start();
    const talk = await openThinking(scene);
    await tellThoughtfulTurns(talk, 2);
    await talk.tell('last question', say('last answer'));
    const [request, ...more] = scene.requestsOf('last question');
    equal(more.length, 0, 'OpenClaw had to ask again');
    equal(request.thoughts?.length, 6, 'thinking that was shown');
  },
};

export const wrongHistoryControl: Scenario = {
  name: 'control: a history with words before the thinking of a message is refused, and OpenClaw strips all thinking',
  // OpenClaw writes the session anew itself, and leaves its index to be rebuilt at the next turn.
  provokes: /Expected `thinking`|session-recovery|needs_rebuild/,
  async run(scene) {
    await scene.gateway.start();
    const talk = await openThinking(scene);
    await tellThoughtfulTurns(talk, 1);
    changeLine(
      scene,
      talk.key,
      ({ message }) => message?.role === 'assistant',
      ({ message }) => (message?.content as unknown[] | undefined)?.reverse(),
    );
    const before = scene.model.mark();
    await talk.tell('last question', say('last answer'));
    const [fault] = scene.model.faultsSince(before);
    ok(fault?.includes('Expected `thinking`'), 'the provider took a wrong history');
    deepEqual(
      scene.requestsOf('last question').map(({ thoughts }) => thoughts?.length),
      [3, 0],
      'thinking that was shown in each request',
    );
  },
};

/** The default preset keeps twenty turns with tools: the oldest loses its calls at every preset. */
export const cleanedThinking: Scenario = {
  name: 'a model that thinks: cleaned at any preset, the next turn is taken at the first try',
  async run(scene) {
    const turns = 21;
    await scene.gateway.start();
    const talk = await openThinking(scene);
    await tellThoughtfulTurns(talk, turns);
    const copies: Conversation[] = [];
    for (const preset of ['default', 'aggressive', 'extreme']) {
      const { clonedSessionId } = await scene.occ('clone', talk.key, `--strip-tools=${preset}`);
      copies.push(await openThinking(scene, `agent:main:clone:${String(clonedSessionId)}`));
    }
    equal((await scene.occ('edit', talk.key, '--strip-tools')).changed, true);
    for (const [place, one] of [...copies, talk].entries()) {
      await one.tell(`last question ${place}`, say('last answer'));
      const [request, ...more] = scene.requestsOf(`last question ${place}`);
      equal(more.length, 0, 'OpenClaw had to ask again');
      const heard = JSON.stringify(request.messages);
      const lost = Array.from({ length: turns }, (_, at) => `answer ${at + 1}"`);
      deepEqual(
        lost.filter((answer) => !heard.includes(answer)),
        [],
        'answers that are lost',
      );
      ok((request.thoughts ?? []).length < turns * 3, 'nothing was cleaned');
    }
  },
};

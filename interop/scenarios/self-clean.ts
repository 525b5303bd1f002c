/** The agent calls occ on its own session, in its own run, and names no session. */
import { equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OccAnswer } from '../commands.ts';
import { resultsIn } from '../heard.ts';
import type { Scenario, Scene } from '../scene.ts';
import { call, exec, read, say, usage } from '../script.ts';
import type { Conversation } from '../stage.ts';
import { waitForCorrectedFigures } from './figures.ts';
import { LONG_NOTE } from './near-window.ts';
import { tellThreeTurns, WITHOUT_TOOLS } from './telling.ts';

const COMMAND = exec('occ edit --strip-tools=extreme --json');
const CLEANED = say('I have cleaned up.');

export const selfClean: Scenario = {
  name: 'an agent that cleans itself: its run ends well, the next turn is clean',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await cleanItself(scene, talk, () => talk.tell('clean yourself', call(COMMAND), CLEANED));
    await talk.tell('fifth question', say('fifth answer'));
    scene.expectHeard('fifth question', [
      ...WITHOUT_TOOLS,
      'person: clean yourself',
      // The run itself was still going on when it was cleaned.
      ...(scene.cleansAtOnce ? ['call: exec', 'result: {…}'] : []),
      'agent: I have cleaned up.',
      'person: fifth question',
    ]);
    await scene.expectNoCompaction();
  },
};

/** The run that cleans goes on with all that it has in memory, and its last answer records that much. */
export function selfCleanNearWindow(tokens: number, note = LONG_NOTE): Scenario {
  return {
    name: `an agent that cleans itself at ${tokens} of 128000: no compaction at the next turn`,
    async run(scene) {
      await scene.gateway.start();
      const talk = scene.open();
      await tellThreeTurns(talk.tell, 'large');
      await cleanItself(scene, talk, () =>
        talk.chat('clean yourself', usage(tokens), call(read('large4.txt')), call(COMMAND), CLEANED),
      );
      if (scene.cleansAtOnce) await waitForCorrectedFigures(scene, talk.key, tokens);
      await talk.chat('fifth question', note, say('fifth answer'));
      const [request] = scene.requestsOf('fifth question');
      ok(!JSON.stringify(request.messages).includes('LARGE-1'), 'the history is not clean');
      const people = request.messages
        .filter((message) => message.role === 'user')
        .map((message) => JSON.stringify(message.content));
      for (const turn of talk.told)
        ok(
          people.some((text) => text.includes(turn)),
          `'${turn}' is lost`,
        );
      await scene.expectNoCompaction();
    },
  };
}

/** What occ sets right after the run must not get in the way of a turn that begins at that moment. */
export const selfCleanInHaste: Scenario = {
  name: 'an agent that cleans itself, and messages that follow at once',
  async run(scene) {
    await scene.gateway.start();
    for (let round = 1; round <= 8; round++) {
      const talk = scene.open();
      const tell = round % 2 === 0 ? talk.tell : talk.chat;
      await talk.tell(`question ${round}`, call(read('large1.txt')), say('answer'));
      await tell(`clean yourself ${round}`, usage(60_000), call(COMMAND), CLEANED);
      await sleep((round - 1) * 10);
      await tell(`haste ${round}`, say('answer'));
      scene.expectHeard(`haste ${round}`, [
        `person: question ${round}`,
        'agent: answer',
        `person: clean yourself ${round}`,
        'call: exec',
        'result: {…}',
        'agent: I have cleaned up.',
        `person: haste ${round}`,
      ]);
    }
    await scene.expectNoCompaction();
  },
};

/** Runs the turn, reads what occ told the agent, and waits until its promise is kept. */
async function cleanItself(scene: Scene, talk: Conversation, turn: () => Promise<unknown>): Promise<void> {
  await turn();
  const last = scene.requestsOf('clean yourself').at(-1);
  const answer = JSON.parse(last === undefined ? '' : (resultsIn(last).at(-1) ?? '')) as OccAnswer;
  equal(answer.success, true, `occ told the agent: ${JSON.stringify(answer)}`);
  if (scene.cleansAtOnce) equal(answer.changed, true, 'occ changed nothing');
  else equal(answer.scheduled, true, 'occ scheduled nothing');
  await scene.waitFor('the session is clean', async () => {
    if (scene.cleansAtOnce) return true;
    const { toolCalls } = (await scene.occ('info', talk.key)) as { toolCalls?: { total?: number } };
    return toolCalls?.total === 0;
  });
}

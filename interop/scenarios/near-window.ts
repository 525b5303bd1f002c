/** Sessions whose recorded usage is close to the context window: a clean must keep OpenClaw from compacting them. */
import { ok } from 'node:assert/strict';
import { hear } from '../heard.ts';
import type { Scenario, Scene } from '../scene.ts';
import { call, read, say, usage } from '../script.ts';
import type { Conversation } from '../stage.ts';
import { LARGE_WHOLE, tellThreeTurns, WITHOUT_TOOLS } from './telling.ts';

const FOURTH_TOOLS = ['call: read', 'result: LARGE-4'];
const fourth = (...tools: string[]) => ['person: fourth question', ...tools, 'agent: fourth answer'];

/** About 7,000 tokens. */
export const LONG_NOTE = Array.from(
  { length: 300 },
  (_, line) => `note ${line}: a line of a long note that fills the window and says nothing that matters now`,
).join('\n');

/** The last turn, told by `tellLast`, records that much. */
async function tellUntilFull(
  talk: Conversation,
  tokens: number,
  tellLast: Conversation['tell'],
): Promise<void> {
  await tellThreeTurns(talk.tell, 'large');
  await tellLast('fourth question', usage(tokens), call(read('large4.txt')), say('fourth answer'));
}

/** The figures stand when the gateway's turn is over; it looks at them again at the next message. */
export function nearWindow(tokens: number, note = ''): Scenario {
  return {
    name: `recorded usage of ${tokens} of 128000, cleaned: no compaction`,
    async run(scene) {
      await scene.gateway.start();
      const talk = scene.open();
      await tellUntilFull(talk, tokens, talk.chat);
      await scene.occ('edit', talk.key, '--strip-tools=extreme');
      await talk.chat('fifth question', note, say('fifth answer'));
      scene.expectHeard('fifth question', [...WITHOUT_TOOLS, ...fourth(), 'person: fifth question']);
      await scene.expectNoCompaction();
    },
  };
}

export function nearWindowControl(tokens: number, note = ''): Scenario {
  return {
    name: `control: recorded usage of ${tokens} of 128000, not cleaned: it compacts`,
    async run(scene) {
      await scene.gateway.start();
      const talk = scene.open();
      await tellUntilFull(talk, tokens, talk.chat);
      await talk.chat('fifth question', note, say('fifth answer'));
      expectCompaction(scene, 'fifth question');
    },
  };
}

/** A turn without the gateway leaves its figures alone; the gateway sees them when it starts. */
export function nearWindowLocal(tokens: number): Scenario {
  return {
    name: `recorded usage of ${tokens} of 128000, cleaned while the gateway is stopped: no compaction`,
    async run(scene) {
      await scene.gateway.start();
      const talk = scene.open();
      await tellUntilFull(talk, tokens, async (...turn) => {
        await scene.gateway.stop();
        return talk.tellLocally(...turn);
      });
      await scene.occ('edit', talk.key, '--strip-tools=extreme');
      await scene.gateway.start();
      await talk.tell('fifth question', say('fifth answer'));
      scene.expectHeard('fifth question', [...WITHOUT_TOOLS, ...fourth(), 'person: fifth question']);
      await scene.expectNoCompaction();
    },
  };
}

export function nearWindowLocalControl(tokens: number): Scenario {
  return {
    name: `control: recorded usage of ${tokens} of 128000, gateway stopped, not cleaned: it compacts`,
    async run(scene) {
      await scene.gateway.start();
      const talk = scene.open();
      await tellUntilFull(talk, tokens, async (...turn) => {
        await scene.gateway.stop();
        return talk.tellLocally(...turn);
      });
      await scene.gateway.start();
      await talk.tell('fifth question', say('fifth answer'));
      expectCompaction(scene, 'fifth question');
    },
  };
}

function expectCompaction(scene: Scene, turn: string): void {
  const heard = hear(scene.requestsOf(turn)[0]);
  const whole = [...LARGE_WHOLE, ...fourth(...FOURTH_TOOLS), `person: ${turn}`];
  ok(heard.length < whole.length, 'the history was expected to be compacted');
  ok(scene.uninvited().length > 0, 'a request for a summary was expected');
}

/** Sessions whose context does not begin at their first line: after a compaction, and after a reset. */
import { equal } from 'node:assert/strict';
import type { Scenario } from '../scene.ts';
import { call, read, say } from '../script.ts';
import { tellThreeTurns } from './telling.ts';

export const afterCompaction: Scenario = {
  name: 'a session that was compacted before: the summary and what it kept stay, its tools go',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell, 'large');
    await scene.gateway.client().request('sessions.compact', { key: talk.key });
    const asked = scene.uninvited().length;
    await talk.tell('fourth question', call(read('small4.txt')), say('fourth answer'));
    const second = ['call: read', 'call: exec', 'result: LARGE-2', 'result: side by side'];
    const third = ['agent: second answer', 'person: third question'];
    const tools = ['call: read', 'result: LARGE-3'];
    const answer = 'agent: third answer';
    // With a model that thinks OpenClaw keeps more, and shows it the last thinking before the compaction as a text.
    const start = scene.isBound ? ['summary', 'agent: first answer', 'person: second question'] : ['summary'];
    scene.expectHeard('fourth question', [
      ...start,
      ...(scene.isBound ? second : []),
      ...third,
      ...tools,
      ...(scene.isBound ? ['agent: What now? I say: third answer.'] : []),
      answer,
      'person: fourth question',
    ]);
    equal((await scene.occ('edit', talk.key, '--strip-tools=extreme')).changed, true);
    await talk.tell('fifth question', say('fifth answer'));
    scene.expectHeard('fifth question', [
      ...start,
      ...third,
      answer,
      'person: fourth question',
      'agent: fourth answer',
      'person: fifth question',
    ]);
    await scene.expectNoCompaction(asked);
  },
};

export const afterReset: Scenario = {
  name: 'a session that was reset: the new window is whole, the old one does not come back',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await scene.gateway.client().request('sessions.reset', { key: talk.key, reason: 'new' });
    await talk.tell('fourth question', call(read('small4.txt')), say('fourth answer'));
    scene.expectHeard('fourth question', ['person: fourth question']);
    const answer = await scene.occ('edit', talk.key, '--strip-tools=extreme');
    equal(answer.changed, true);
    await talk.tell('fifth question', say('fifth answer'));
    scene.expectHeard('fifth question', [
      'person: fourth question',
      'agent: fourth answer',
      'person: fifth question',
    ]);
    await scene.expectNoCompaction();
  },
};

export const afterNewCommand: Scenario = {
  name: 'a session that was reset by /new in a chat',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await talk.chat('/new');
    await talk.tell('fourth question', call(read('small4.txt')), say('fourth answer'));
    await scene.occ('edit', talk.key, '--strip-tools=extreme');
    await talk.tell('fifth question', say('fifth answer'));
    scene.expectHeard('fifth question', [
      'person: /new',
      'person: fourth question',
      'agent: fourth answer',
      'person: fifth question',
    ]);
    await scene.expectNoCompaction();
  },
};

/** Thinking that a provider leaves out is never lost silently. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { say, think } from '../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import type { StatusReport } from '../../src/state-report/contract.ts';
import { makeOpenbotPlace } from '../setup/openbot-process.ts';

const MODEL = 'claude-sonnet-5-5';

it('a drop is told with its path, and counted in status until the session is reset', async () => {
  const replies = ['one', 'two', 'three', 'four'].map((text) => ({ blocks: [think(text), say(text)] }));
  const api = await startMessagesApi({ replies });
  afterTest(() => api.close());
  const place = makeOpenbotPlace();
  mkdirSync(place.stateDir);
  const far = {
    baseUrl: api.url,
    apiKey: 'key',
    api: 'anthropic-messages',
    models: [{ id: MODEL, reasoning: true }],
  };
  const config = { agents: { defaults: { model: `far/${MODEL}` } }, models: { providers: { far } } };
  writeFileSync(`${place.stateDir}/openbot.json`, JSON.stringify(config));
  expect(await place.run(['agent', '-m', 'first'])).toMatchObject({ code: 0, stderr: '' });
  expect(await place.json<StatusReport>('status')).not.toHaveProperty('droppedThinking');

  // Another program changes what was said.
  const path = transcriptIn(place.stateDir);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('first', 'other'));
  const second = await place.run(['agent', '-m', 'second']);
  expect(second).toMatchObject({ code: 0 });
  expect(second.stderr).toMatch(
    /far\/claude-sonnet-5-5 left out 1 block of thinking of agent:main:main, .*: messages\.1\.content\.0/,
  );
  expect(await place.json<StatusReport>('status')).toMatchObject({
    droppedThinking: { blocks: 1, sessions: 1, at: expect.any(Number) },
  });
  expect((await place.run(['status'])).stdout).toMatch(
    /^Thinking +1 block left out by providers in 1 session/m,
  );
  expect((await place.run(['agent', '-m', '/status'])).stdout).toContain(
    'Thinking: 1 block left out by the provider',
  );
  await place.run(['agent', '-m', '/new']);
  expect(await place.json<StatusReport>('status')).not.toHaveProperty('droppedThinking');
});

function transcriptIn(stateDir: string): string {
  const folder = `${stateDir}/agents/main/sessions`;
  return `${folder}/${readdirSync(folder).find((name) => name.endsWith('.jsonl'))}`;
}

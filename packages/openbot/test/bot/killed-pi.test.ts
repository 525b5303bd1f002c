import { expect, test } from 'vitest';
import { startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { blocksOf, call, say } from '../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { checkKilled, KilledChat } from './killed-chat.ts';

test('a bot whose models are asked by pi, killed at any moment', HUNT, async () => {
  let calls = 0;
  const api = await startMessagesApi({
    replies: ({ messages }) => {
      const last = blocksOf(messages.at(-1)!);
      const isResult = last.some(({ type }) => type === 'tool_result');
      const wantsFiles = !isResult && JSON.stringify(last.at(-1)).includes('list the files');
      return { blocks: wantsFiles ? [call(`toolu_${calls++}`, 'list_files', {})] : [say('So.')] };
    },
  });
  afterTest(() => api.close());
  const far = { baseUrl: api.url, apiKey: 'key', api: 'anthropic-messages', models: [{ id: 'm' }] };
  const chance = makeChance();
  const chat = new KilledChat(chance, {
    config: { agents: { defaults: { model: 'far/m' } }, models: { providers: { far } } },
  });
  for (let n = 0; n < tries({ gate: 2, torture: 50 }); n++)
    await chat.live(50 + chance() * 900, 1 + Math.floor(chance() * 4));
  await chat.finish();
  checkKilled(chat);
  expect(api.faults).toEqual([]);
  const read = JSON.stringify(api.conversations);
  expect([...chat.taken.values()].filter(({ text }) => !read.includes(text))).toEqual([]);
});

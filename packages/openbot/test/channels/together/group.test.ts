/** Ten people talk in a Telegram group, one of them mentions the bot: what the model is given, letter for letter. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HostPlace } from '../../agent-host/host-place.ts';
import { withoutDay } from '../../bot/bot-home.ts';
import { startAnthropicKind } from '../../runners/pi/scripted-provider.ts';
import { runGateway } from '../../setup/run-gateway.ts';
import { BotApi } from '../telegram/bot-api.ts';

const GROUP = { id: -1001234, type: 'supergroup', title: 'Team' };
const PEOPLE = ['Alice', 'Bob', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gus', 'Hal', 'Ida', 'Jon'];
const ANSWER = 'Well.';

const idOf = (name: string) => 1_234_567_000 + PEOPLE.indexOf(name);

function written(id: number, name: string, at: string, text: string) {
  const from = { id: idOf(name), is_bot: false, first_name: name };
  const mention = text.indexOf('@Test_Bot');
  const entities = mention < 0 ? [] : [{ type: 'mention', offset: mention, length: '@Test_Bot'.length }];
  return { message: { message_id: id, date: Date.parse(at) / 1000, chat: GROUP, from, text, entities } };
}

test('ten people talk in a group of Telegram and one mentions the bot: the model reads all of it once', async () => {
  const api = await BotApi.start();
  const { settings, conversations, faults } = await startAnthropicKind({
    contextWindow: 100_000,
    turns: [{ steps: [{ text: ANSWER }] }],
  });
  const telegram = {
    botToken: api.token,
    apiRoot: api.root,
    groupPolicy: 'allowlist',
    // Eve may not talk, whatever she does.
    groupAllowFrom: PEOPLE.filter((name) => name !== 'Eve').map((name) => String(idOf(name))),
    groups: { [GROUP.id]: {} },
  };
  const place = new HostPlace({
    agents: { defaults: { model: 'kind/m' } },
    models: { providers: { kind: settings } },
    channels: { telegram },
  } as object);
  const { child } = await runGateway(place);

  for (const [minute, name] of PEOPLE.entries())
    api.updates.push(written(minute + 1, name, `2026-01-13T07:0${minute}:00Z`, `${name} was here`));
  api.updates.push(written(20, 'Eve', '2026-01-13T07:40:00Z', '@Test_Bot swordfish'));
  api.updates.push(written(21, 'Alice', '2026-01-13T07:47:00Z', '@Test_Bot what do you think?'));
  while (api.chats.shown.length < 1) await sleep(20);
  // What was said before the answer is not told again.
  api.updates.push(written(22, 'Bob', '2026-01-13T07:48:00Z', 'I see'));
  api.updates.push(written(23, 'Cleo', '2026-01-13T07:49:00Z', 'and you, @Test_Bot?'));
  while (api.chats.shown.length < 2 || api.updates.unconfirmed.length > 0) await sleep(20);
  child.kill('SIGTERM');
  while (child.exitCode === null && child.signalCode === null) await sleep(20);

  const lines = PEOPLE.flatMap((name, minute) =>
    name === 'Eve' ? [] : [`[Telegram -1001234 2026-01-13T07:0${minute}Z] ${name}: ${name} was here`],
  );
  const first = `[Chat messages since your last reply - for context]
${lines.join('\n')}

[Current message - respond to this]
[Telegram -1001234 2026-01-13T07:47Z] Alice: @Test_Bot what do you think?
[from: Alice (1234567000)]`;
  const second = `[Chat messages since your last reply - for context]
[Telegram -1001234 2026-01-13T07:48Z] Bob: I see

[Current message - respond to this]
[Telegram -1001234 2026-01-13T07:49Z] Cleo: and you, @Test_Bot?
[from: Cleo (1234567002)]`;
  expect(conversations.map(({ messages }) => messages.map(read))).toEqual([
    [['user', first]],
    [
      ['user', first],
      ['assistant', ANSWER],
      ['user', second],
    ],
  ]);
  const chat = { chat_id: GROUP.id, text: ANSWER };
  expect(api.chats.shown).toMatchObject([chat, chat]);
  expect(faults).toEqual([]);
});

/** Role and text of a message of Anthropic's API. */
function read(message: unknown): readonly [string, string] {
  const { role, content } = message as { role: string; content: string | { text?: string }[] };
  const text = typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('');
  return [role, withoutDay(text)];
}

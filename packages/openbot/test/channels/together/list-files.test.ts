/** Somebody asks in Telegram for the files, the model calls `list_files`, and the answer is shown in Telegram. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connectGateway } from '../../../src/gateway-client/connect-gateway.ts';
import { HostPlace } from '../../agent-host/host-place.ts';
import { openIndexOf } from '../../index-writing/talking-state.ts';
import { startAnthropicKind } from '../../runners/pi/scripted-provider.ts';
import { runGateway } from '../../setup/run-gateway.ts';
import { BotApi } from '../telegram/bot-api.ts';
import { startEmulator } from '../telegram/emulator.ts';
import { ADA, message } from '../telegram/telegram-bench.ts';

const QUESTION = 'Which files are there?';
const ANSWER = 'There is one: apples.txt';
const SCRIPT = {
  contextWindow: 100_000,
  turns: [{ when: 'which files', steps: [{ tool: 'list_files' }, { text: ANSWER }] }],
};

function writeWorkspace(stateDir: string): void {
  mkdirSync(join(stateDir, 'workspace'), { recursive: true });
  writeFileSync(join(stateDir, 'workspace', 'apples.txt'), 'red');
}

test('a question on Telegram is answered with what list_files said, and kept in transcript and index', async () => {
  const api = await BotApi.start();
  const emulator = await startEmulator();
  const { settings, faults } = await startAnthropicKind(SCRIPT);
  const account = {
    botToken: api.token,
    apiRoot: api.root,
    dmPolicy: 'allowlist',
    allowFrom: [String(ADA.id)],
  };
  const others = { botToken: '99:emulated', apiRoot: emulator.config.apiURL, dmPolicy: 'open' };
  const place = new HostPlace({
    agents: { defaults: { model: 'kind/m' } },
    session: { dmScope: 'per-account-channel-peer' },
    models: { providers: { kind: settings } },
    channels: { telegram: { accounts: { default: account, emulated: others } } },
  } as object);
  writeWorkspace(place.stateDir);
  const { child } = await runGateway(place);
  api.updates.push({ message: message(1, { text: QUESTION }) });
  // Nobody in the list: not answered, and no turn.
  const eve = { ...ADA, id: 666, username: 'eve' };
  api.updates.push({
    message: message(2, { from: eve, chat: { id: 666, type: 'private' }, text: QUESTION }),
  });
  while (api.chats.shown.length === 0 || api.updates.unconfirmed.length > 0) await sleep(20);
  expect(api.chats.shown).toMatchObject([{ chat_id: ADA.id, text: ANSWER }]);

  // The same on an emulator that others wrote.
  const person = emulator.getClient(others.botToken, { timeout: 100_000 });
  await person.sendMessage(person.makeMessage(QUESTION));
  const { result } = await person.getUpdates();
  expect(result.map(({ message: { text } }) => text)).toEqual([ANSWER]);
  child.kill('SIGTERM');
  while (child.exitCode === null && child.signalCode === null) await sleep(20);

  const folder = join(place.stateDir, 'agents', 'main', 'sessions');
  const index = JSON.parse(readFileSync(join(folder, 'sessions.json'), 'utf8'));
  const key = 'agent:main:telegram:default:dm:777';
  expect(Object.keys(index).sort()).toEqual([key, expect.stringMatching(/^agent:main:telegram:emulated:/)]);
  expect(index[key]).toMatchObject({
    chatType: 'direct',
    deliveryContext: { channel: 'telegram', to: 'telegram:777', accountId: 'default' },
    origin: { provider: 'telegram', surface: 'telegram', from: 'telegram:777', chatType: 'direct' },
  });
  expect(globSync(join(folder, '*.jsonl'))).toHaveLength(2);
  const lines = readFileSync(join(folder, `${index[key].sessionId}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ type: 'session', id: index[key].sessionId });
  const said = lines.flatMap(({ type, message: one }) => (type === 'message' ? [one] : []));
  expect(said).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'toolCall', name: 'list_files' }] },
    { role: 'toolResult', toolName: 'list_files', content: [{ type: 'text', text: 'apples.txt' }] },
    { role: 'assistant', content: [{ type: 'text', text: ANSWER }] },
  ]);
  expect(JSON.stringify(said[0])).toContain(QUESTION);
  const search = await openIndexOf({ folder: place.stateDir });
  const hits = (await search.search('apples')).filter(({ sessionKey }) => sessionKey === key);
  expect(hits.map(({ speaker }) => speaker)).toContain('assistant');
  expect(faults).toEqual([]);
});

const { TELEGRAM_BOT_TOKEN = '', ANTHROPIC_API_KEY = '', TELEGRAM_CHAT_ID } = process.env;
const isLive = TELEGRAM_BOT_TOKEN !== '' && ANTHROPIC_API_KEY !== '';

/**
 * What it proves: Telegram knows the bot and answers its polls, the real model calls list_files, and where TELEGRAM_CHAT_ID
 * names a chat that the bot may write to, Telegram took the reply and gave it an id. What it does not: that a message of a
 * person arrives. Telegram gives a bot no messages of bots, so the question comes by the gateway.
 */
test.skipIf(!isLive)(
  'the real Telegram and the real Anthropic (needs TELEGRAM_BOT_TOKEN and ANTHROPIC_API_KEY)',
  { timeout: 300_000 },
  async () => {
    const place = new HostPlace({
      agents: { defaults: { model: 'anthropic/claude-haiku-4-5' } },
      channels: { telegram: { botToken: TELEGRAM_BOT_TOKEN } },
    } as object);
    place.more = { ANTHROPIC_API_KEY };
    writeWorkspace(place.stateDir);
    const { record } = await runGateway(place);
    const gateway = await connectGateway(record, 300_000);
    const isConnected = async () => {
      const { channels } = (await gateway.call('channels.status', {})) as {
        channels: { telegram: { connected: boolean } };
      };
      return channels.telegram.connected;
    };
    while (!(await isConnected())) await sleep(200);
    const idempotencyKey = 'live';
    const route = TELEGRAM_CHAT_ID ? { deliver: true, channel: 'telegram', to: TELEGRAM_CHAT_ID } : {};
    const sessionKey = 'agent:main:main';
    await gateway.call('agent', {
      message: 'List the files with your tool, and name them.',
      sessionKey,
      idempotencyKey,
      ...route,
    });
    await gateway.call('agent.wait', { runId: idempotencyKey, timeoutMs: 240_000 });
    // It still polls.
    expect(await isConnected()).toBe(true);
    gateway.close();
    if (TELEGRAM_CHAT_ID) {
      const database = new DatabaseSync(join(place.stateDir, 'openbot-inbox.sqlite'), { readOnly: true });
      const replies = database.prepare("SELECT state, ids, error FROM outbox WHERE channel = 'telegram'");
      const isEnded = () => replies.all().some(({ state }) => state === 'sent' || state === 'dead');
      while (!isEnded()) await sleep(200);
      const ids = expect.stringMatching(/^\["\d+"\]$/);
      expect(replies.all()).toMatchObject([{ state: 'sent', ids }]);
      database.close();
    }
    const [path = ''] = globSync(join(place.stateDir, 'agents/main/sessions/*.jsonl'));
    const transcript = readFileSync(path, 'utf8');
    expect(transcript, basename(path)).toMatch(/"name":"list_files"/);
    expect(transcript.split('\n').at(-2)).toContain('apples.txt');
  },
);

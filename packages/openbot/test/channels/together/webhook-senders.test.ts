/** Programs choose the ids of senders on a webhook: only the exact one is the person of a list. */
import { expect, test } from 'vitest';
import { approvePairing, listPairing, revokePairing } from '../../../src/access/pairing.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { BotHome, type HomeOptions, PARROT } from '../../bot/bot-home.ts';
import { waitFor } from '../../setup/command-bench.ts';
import { ManualClock } from '../../setup/manual-clock.ts';
import { WebhookBench } from '../webhook/webhook-bench.ts';

const OTHERS = ['ME', 'Me', 'mE', 'me ', ' me', 'mE ', 'webhook:me', 'WEBHOOK:me', 'webhook: me', '@me'];

async function open(config: BotConfig, options: HomeOptions = {}) {
  const bench = await WebhookBench.open();
  const home = new BotHome();
  home.time = bench.now;
  const channels = [bench.makeChannel()];
  const bot = await home.open({ config: structuredClone(config), channels, play: PARROT, ...options });
  let posts = 0;
  const post = async (id: string, text: string, more: object = {}) => {
    const [status] = await bench.post({ id: `p${++posts}`, sender: { id }, text, ...more });
    expect(status).toBe(202);
  };
  const texts = () => bench.shown.map(({ text }) => text);
  return { bench, home, bot, post, texts };
}

test('nobody but the exact sender passes allowFrom', async () => {
  const model = { agents: { defaults: { model: 'script/parrot' } } };
  const { home, bot, post, texts } = await open({
    ...model,
    channels: { webhook: { dmPolicy: 'allowlist', allowFrom: ['me'] } },
  });
  for (const id of OTHERS) await post(id, `say I am ${id}`);
  await bot.idle();
  expect(texts()).toEqual([]);
  expect(home.entriesOf()).toEqual({});
  await post('me', 'say it is me');
  await bot.idle();
  expect(texts()).toEqual(['it is me']);
});

test('nobody but the exact owner answers a permission question', async () => {
  const clock = new ManualClock();
  const config: BotConfig = {
    agents: { defaults: { model: 'script/asks' } },
    channels: { webhook: { dmPolicy: 'open', groupPolicy: 'open', groupAllowFrom: ['*'] } },
    commands: { ownerAllowFrom: ['me'] },
  };
  const { bench, home, bot, post, texts } = await open(config, {
    clock,
    play: () => [{ ask: 'Bash', args: { command: 'git push' } }, { text: '{{result}}' }],
  });
  const crew = { conversation: 'crew', chatType: 'group', mentioned: true };
  await post('me', 'publish it', crew);
  const { id } = (await waitFor(
    () => `a question in ${JSON.stringify(bench.shown)}`,
    () => bench.shown.find(({ question }) => question)?.question,
  )) as { id: string };
  for (const other of OTHERS) await post(other, `yes ${id}`, { ...crew, mentioned: false });
  expect(texts().filter((text) => String(text).startsWith(`[${id}]`))).toEqual([]);
  await post('me', `no ${id}`, crew);
  await bot.idle();
  expect(texts()).toContain(`[${id}] Not allowed.`);
  expect(home.turnsOf('agent:main:webhook:group:crew')[0]).toHaveLength(1);
});

test('nobody but the exact sender is let in by an approval, or limited by what another writes', async () => {
  const clock = new ManualClock();
  const { home, bot, post, texts } = await open(
    {
      agents: { defaults: { model: 'script/parrot' } },
      channels: { webhook: { dmPolicy: 'pairing', rateLimit: 2 } },
      session: { dmScope: 'per-channel-peer' },
    },
    { clock },
  );
  const approve = async (id: string) => {
    const { requests } = listPairing(home.stateDir, {}, home.time!);
    await approvePairing(home.stateDir, requests.find((one) => one.id === id)!.code, {}, home.time!);
  };
  for (const id of ['me', 'me ']) {
    await post(id, 'say hello');
    await approve(id);
  }
  for (const id of OTHERS.filter((one) => one !== 'me ')) await post(id, `say I am ${id}`);
  await bot.idle();
  expect(texts().filter((text) => /^(?:hello|I am)/.test(String(text)))).toEqual([]);
  for (const text of ['one', 'two', 'three']) await post('me ', `say ${text}`);
  await post('me', 'say four');
  await bot.idle();
  const said = texts().join('\n');
  for (const word of ['one', 'two', 'four']) expect(said).toContain(word);
  expect(said).not.toContain('three');
  await revokePairing(home.stateDir, 'me ', {});
  expect(listPairing(home.stateDir, {}, home.time!).approved.map(({ id }) => id)).toEqual(['me']);
});

test.each(['per-peer', 'per-channel-peer', 'per-account-channel-peer'] as const)(
  'each sender has a session of their own with %s',
  async (dmScope) => {
    const { home, bot, post } = await open({
      agents: { defaults: { model: 'script/parrot' } },
      channels: { webhook: { dmPolicy: 'open' } },
      session: { dmScope },
    });
    const people = ['me', ...OTHERS];
    for (const id of people) await post(id, `say I am ${id}`);
    await bot.idle();
    const keys = Object.keys(home.entriesOf());
    expect(new Set(keys).size).toBe(people.length);
    const said = keys.map((key) => home.saidIn(key).filter((line) => line.startsWith('assistant')));
    expect(said.flat().sort()).toEqual(people.map((id) => `assistant: I am ${id}`).sort());
  },
);

/** A gateway with chat networks on loopback: how many messages it answers, how soon it asks for the first, what it keeps in memory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Imitation } from '../packages/openbot/test/channels/discord/imitation/imitation.ts';
import { CloudApi } from '../packages/openbot/test/channels/whatsapp/cloud-api.ts';
import {
  countStolenTime,
  describeMemory,
  machineLoad,
  megabytes,
  memoryOf,
  processorTimesOf,
  SETTLE_MS,
  startBenchGateway,
} from './gateway-fixture.ts';
import { type BenchRow, percentile } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { TelegramLoad } from './telegram-load.ts';

const CONVERSATIONS = 200;
const PER_SECOND = 500;
const SECONDS = 30;
const P95_MS = 250;
/** Where that rate is too high for the machine: which one is not. */
const SLOWER = [400, 300, 250, 200, 150, 100, 70, 50, 30, 20];
const SLOWER_SECONDS = 10;
const ROUNDS = 5;
const POLL_MS = 700;
const IDLE_BYTES = 120e6;

const settingsOf = (telegram: TelegramLoad, others: object = {}) => ({
  session: { dmScope: 'per-channel-peer' },
  channels: {
    telegram: {
      botToken: telegram.token,
      apiRoot: telegram.root,
      dmPolicy: 'open',
      allowFrom: ['*'],
      rateLimit: 0,
    },
    ...others,
  },
});

export default async function bench(): Promise<BenchRow[]> {
  const telegram = await TelegramLoad.open();
  try {
    return await inTempFolder(async (folder) => [
      await measureStart(join(folder, 'start'), telegram),
      ...(process.platform === 'linux' ? [await measureMemory(join(folder, 'idle'), telegram)] : []),
      ...(await measureMessages(join(folder, 'messages'), telegram)),
    ]);
  } finally {
    await telegram.close();
  }
}

async function measureStart(stateDir: string, telegram: TelegramLoad): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    const polled = telegram.nextPoll().then(() => times.push(performance.now() - begun));
    const { close } = await startBenchGateway(stateDir, settingsOf(telegram));
    await polled;
    await close();
  }
  const ms = Math.min(...times);
  return {
    name: 'openbot gateway run until Telegram is asked for messages',
    ours: `${ms.toFixed(0)} ms`,
    peer: `a limit of ${POLL_MS} ms`,
    ratio: ms / POLL_MS,
    limit: 1,
    better: 'lower',
    details: `the fastest of ${times.map((time) => time.toFixed(0)).join(', ')} ms; ${machineLoad()}`,
  };
}

async function measureMemory(stateDir: string, telegram: TelegramLoad): Promise<BenchRow> {
  const discord = await new Imitation().start();
  const whatsapp = await CloudApi.open();
  const { phoneNumberId, accessToken, appSecret, verifyToken } = whatsapp;
  const others = {
    discord: { token: discord.world.token, apiRoot: discord.origin },
    whatsapp: { phoneNumberId, accessToken, appSecret, verifyToken, apiRoot: whatsapp.url },
  };
  const { client, pids, close } = await startBenchGateway(stateDir, settingsOf(telegram, others));
  await untilConnected(() => client.call('channels.status', {}));
  await sleep(SETTLE_MS);
  const memory = memoryOf(pids());
  const each = pids().map((pid) => megabytes(memoryOf([pid])));
  const details = `${each.join(' + ')}; ${describeMemory(pids())}`;
  await close();
  await discord.stop();
  await whatsapp.close();
  return {
    name: 'idle memory of the gateway and its process of agents, with Telegram, Discord and WhatsApp',
    ours: megabytes(memory),
    peer: `a limit of ${megabytes(IDLE_BYTES)}`,
    ratio: memory / IDLE_BYTES,
    limit: 1,
    better: 'lower',
    details,
  };
}

async function untilConnected(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const { channels } = (await ask()) as { channels: Record<string, { connected: boolean }> };
    const states = Object.values(channels);
    if (states.length === 3 && states.every(({ connected }) => connected)) return;
    await sleep(50);
  }
}

async function measureMessages(stateDir: string, telegram: TelegramLoad): Promise<BenchRow[]> {
  const { pids, close } = await startBenchGateway(stateDir, settingsOf(telegram));
  // The first message of a session makes it.
  await telegram.talk(CONVERSATIONS, 50, 2 * (CONVERSATIONS / 50));
  const before = processorTimesOf(pids());
  const stolen = process.platform === 'linux' ? countStolenTime() : () => '';
  const { times, lost, outOfOrder, doubled, seconds } = await telegram.talk(
    CONVERSATIONS,
    PER_SECOND,
    SECONDS,
  );
  const used = processorTimesOf(pids()).map((ms, at) => ((ms - before[at]!) / times.length).toFixed(2));
  const load = [machineLoad(), stolen()].filter(Boolean).join(', ');
  const p95 = percentile(times, 0.95);
  const holds = p95 <= P95_MS ? '' : `; ${await findRate(telegram, times.length / seconds)}`;
  await close();
  const name = `${PER_SECOND} messages a second on ${CONVERSATIONS} conversations for ${SECONDS} s`;
  return [
    {
      name: `${name}: answered`,
      ours: `${(times.length / seconds).toFixed(0)} messages/s`,
      peer: `${PER_SECOND} messages/s, less what the last answers take`,
      ratio: times.length / seconds / PER_SECOND,
      limit: 0.99,
      better: 'higher',
      details: `processor time of a message: gateway ${used[0]} ms, process of agents ${used[1]} ms; ${load}`,
    },
    {
      name: `${name}: lost, doubled or out of order`,
      ours: `${lost} + ${doubled} + ${outOfOrder} messages`,
      peer: 'none',
      ratio: lost + doubled + outOfOrder,
      limit: 0,
      better: 'lower',
    },
    {
      name: `${name}: from the arrival until the answer is sent, p95`,
      ours: `${p95.toFixed(0)} ms`,
      peer: `a limit of ${P95_MS} ms`,
      ratio: p95 / P95_MS,
      limit: 1,
      better: 'lower',
      details: `p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms${holds}`,
    },
  ];
}

async function findRate(telegram: TelegramLoad, reached: number): Promise<string> {
  for (const rate of SLOWER.filter((slower) => slower <= reached)) {
    const { times, lost } = await telegram.talk(CONVERSATIONS, rate, SLOWER_SECONDS);
    const p95 = percentile(times, 0.95);
    if (lost === 0 && p95 <= P95_MS) return `that holds at ${rate} messages/s (p95 ${p95.toFixed(0)} ms)`;
  }
  return `that holds at no rate down to ${SLOWER.at(-1)} messages/s`;
}

/** A bot with all its files, whose model answers at once, and the moment when a reply is in the outbox. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bot } from '../packages/openbot/src/bot/contract.ts';
import { openBot } from '../packages/openbot/src/bot/open-bot.ts';
import { type Channel, type ChannelHost, PLAIN_CHANNEL } from '../packages/openbot/src/channels/contract.ts';
import type { BotConfig } from '../packages/openbot/src/config/bot-config.ts';
import { openState } from '../packages/openbot/src/state/open-state.ts';

export interface BenchBot {
  readonly bot: Bot;
  /** Resolves when the reply to the message is in the outbox. */
  ask(person: number): Promise<void>;
  accept(person: number, messageId: string): Promise<void>;
  /** What was sent, in order: to whom, and the text. */
  readonly sent: { readonly to: string; readonly text: string }[];
}

const CONFIG: BotConfig = {
  session: { dmScope: 'per-channel-peer' },
  agents: { defaults: { model: 'script/instant', userTimezone: 'UTC' }, maxConcurrentRuns: 50 },
  messages: { queue: { mode: 'followup', debounceMs: 0, cap: 1000 } },
  channels: { memory: { dmPolicy: 'open', rateLimit: 0 } },
};

/** @param own settings in the place of those of the bench */
export async function openBenchBot(
  stateDir: string,
  own: { readonly config?: BotConfig; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<BenchBot> {
  await mkdir(join(stateDir, 'scripts'), { recursive: true, mode: 0o700 });
  const script = { turns: [{ when: '.', steps: [{ text: 'Answer to {{prompt}}' }] }] };
  await writeFile(join(stateDir, 'scripts', 'instant.json'), JSON.stringify(script));
  const state = await openState(stateDir);
  const waiting = new Map<string, () => void>();
  const { outbox } = state;
  const put: typeof outbox.put = async (messages) => {
    const added = await outbox.put(messages);
    for (const { target } of messages) waiting.get(target.to)?.();
    return added;
  };
  const sent: { to: string; text: string }[] = [];
  let host: ChannelHost | undefined;
  const channel: Channel = {
    name: 'memory',
    accountId: 'default',
    capabilities: { ...PLAIN_CHANNEL, recognisesRepeats: true },
    health: () => ({ state: 'connected', since: 0 }),
    start: async (given) => {
      host = given;
    },
    send: async ({ key, target, payload }) => {
      sent.push({ to: target.to, text: payload.text ?? '' });
      return { ids: [key] };
    },
    stop: async () => {},
  };
  const bot = await openBot({
    stateDir,
    config: { ...CONFIG, ...own.config },
    env: own.env ?? {},
    channels: [channel],
    index: true,
    state: { ...state, outbox: { ...outbox, put } },
  });
  const accept = async (person: number, messageId: string) => {
    const id = `p${person}`;
    await host!.accept({
      conversationId: id,
      messageId,
      ctx: {
        Provider: 'memory',
        Surface: 'memory',
        ChatType: 'direct',
        SenderId: id,
        SenderName: `Person ${person}`,
        From: `memory:${id}`,
        To: id,
        OriginatingChannel: 'memory',
        OriginatingTo: id,
        AccountId: 'default',
        RawBody: messageId,
      },
    });
  };
  let count = 0;
  return {
    bot,
    accept,
    ask: async (person) => {
      const answered = new Promise<void>((resolve) => waiting.set(`p${person}`, resolve));
      await accept(person, `message ${++count} of ${randomUUID()}`);
      await answered;
    },
    sent,
  };
}

/**
 * The times in ms of a turn of the bot and of other works, a list for each. They take turns in every round: what else the
 * machine does hits all of them. What a turn does after its reply is waited for, and not counted; nor are the first rounds.
 */
export async function timeTurns(
  bot: Bot,
  rounds: { readonly warmUp: number; readonly count: number },
  turn: (round: number) => Promise<unknown>,
  ...others: readonly ((round: number) => Promise<unknown>)[]
): Promise<number[][]> {
  const works = [turn, ...others];
  const times = works.map((): number[] => []);
  for (let round = 0; round < rounds.warmUp + rounds.count; round++) {
    for (const [index, work] of works.entries()) {
      const begun = performance.now();
      await work(round);
      if (round >= rounds.warmUp) times[index]!.push(performance.now() - begun);
      await bot.idle();
    }
  }
  return times;
}

const sessionsOf = (stateDir: string) => join(stateDir, 'agents', 'main', 'sessions');
export const keyOfPerson = (person: number) => `agent:main:memory:dm:p${person}`;

/**
 * Has one person talk to the bot, and gives so many others a copy of what that left: an entry with everything that our
 * own turns write, and a transcript.
 */
export async function placeTalkers(stateDir: string, count: number): Promise<void> {
  const { bot, ask } = await openBenchBot(stateDir);
  for (let turn = 0; turn < 3; turn++) await ask(0);
  await bot.idle();
  await bot.close();
  const path = join(sessionsOf(stateDir), 'sessions.json');
  const first = JSON.parse(await readFile(path, 'utf8'))[keyOfPerson(0)];
  const transcript = await readFile(join(sessionsOf(stateDir), `${first.sessionId}.jsonl`), 'utf8');
  const store: Record<string, unknown> = {};
  for (let person = 0; person < count; person++) {
    const sessionId = `00d1fa26-b85f-4025-93d9-${person.toString(16).padStart(12, '0')}`;
    const mine = (text: string) =>
      text
        .replaceAll(first.sessionId, sessionId)
        .replaceAll(/\bp0\b/g, `p${person}`)
        .replaceAll('Person 0', `Person ${person}`);
    store[keyOfPerson(person)] = JSON.parse(mine(JSON.stringify(first)));
    await writeFile(transcriptOf(stateDir, person), mine(transcript), { mode: 0o600 });
  }
  await writeFile(path, JSON.stringify(store, null, 2));
}

export function transcriptOf(stateDir: string, person: number): string {
  const sessionId = `00d1fa26-b85f-4025-93d9-${person.toString(16).padStart(12, '0')}`;
  return join(sessionsOf(stateDir), `${sessionId}.jsonl`);
}

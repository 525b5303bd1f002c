import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import type { MsgContext, SessionEntry } from '@openbot/sessions';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import type { Bot, BotNotice, BotOptions, SayResult } from '../../src/bot/contract.ts';
import { openBot } from '../../src/bot/open-bot.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { MemoryNetwork } from '../../src/channels/memory/memory-network.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import type { Answer, Question, Script, ScriptStep } from '../../src/runners/script/script.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { letEverybodyTalk } from './let-everybody-talk.ts';

export const MAIN = 'agent:main:main';

export interface Line {
  readonly type: string;
  readonly customType?: string;
  readonly data?: {
    readonly turnId: string;
    readonly messages: readonly string[];
    readonly attempt?: number;
  };
  readonly message?: {
    readonly role: string;
    readonly content: string | readonly { type: string; text?: string }[];
    readonly model?: string;
    readonly stopReason?: string;
  };
  readonly [field: string]: unknown;
}

/** A model that answers as a function says. */
export type Play = (question: Question) => Answer | readonly ScriptStep[];

/** A state folder, and the bots that are opened on it one after another. */
export class BotHome {
  readonly stateDir: string;
  readonly notices: BotNotice[] = [];
  /** ms */
  time: number | undefined;

  constructor(stateDir = join(makeTempFolder(), 'state')) {
    this.stateDir = stateDir;
  }

  /** Is closed after the test, if the test does not. */
  async open({ script, play, ...options }: HomeOptions = {}): Promise<Bot> {
    const model = play === undefined ? script : { contextWindow: 200_000, answer: asAnswer(play) };
    const { config = {}, channels = [] } = options;
    for (const { name } of channels) letEverybodyTalk(config, name);
    const bot = await openBot({
      stateDir: this.stateDir,
      config,
      env: {},
      report: (notice) => this.notices.push(notice),
      ...(this.time !== undefined && { now: () => this.time! }),
      ...(model !== undefined && { runners: { script: makeScriptRunner({ script: model }) } }),
      ...options,
    });
    let closed: Promise<void> | undefined;
    const close: Bot['close'] = (options) => (closed ??= bot.close(options));
    afterTest(() => close());
    // What it says of itself changes.
    return Object.create(bot, { close: { value: close } }) as Bot;
  }

  entriesOf(agentId = 'main'): Record<string, SessionEntry> {
    const path = join(this.stateDir, 'agents', agentId, 'sessions', 'sessions.json');
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  }

  entryOf(sessionKey = MAIN): SessionEntry {
    const entry = this.entriesOf(sessionKey.split(':')[1])[sessionKey];
    if (entry === undefined) throw new Error(`There is no entry ${sessionKey}.`);
    return entry;
  }

  /** While no bot is open. */
  changeEntry(sessionKey: string, change: Partial<SessionEntry>): void {
    const agentId = sessionKey.split(':')[1]!;
    const path = join(this.stateDir, 'agents', agentId, 'sessions', 'sessions.json');
    const entries = this.entriesOf(agentId);
    writeFileSync(
      path,
      JSON.stringify({ ...entries, [sessionKey]: { ...this.entryOf(sessionKey), ...change } }),
    );
  }

  /** @param sessionId the current one of the key when absent */
  linesOf(sessionKey = MAIN, sessionId = this.entryOf(sessionKey).sessionId): Line[] {
    const agentId = sessionKey.split(':')[1]!;
    const path = join(this.stateDir, 'agents', agentId, 'sessions', `${sessionId}.jsonl`);
    return readLines(path);
  }

  /** What was said, as `role: text`, without what the first message of a conversation tells of itself. */
  saidIn(sessionKey = MAIN, sessionId?: string): string[] {
    return this.linesOf(sessionKey, sessionId ?? this.entryOf(sessionKey).sessionId).flatMap(({ message }) =>
      message === undefined ? [] : [`${message.role}: ${withoutDay(textOf(message))}`],
    );
  }

  turnsOf(sessionKey = MAIN): readonly (readonly string[])[] {
    return this.linesOf(sessionKey).flatMap(({ customType, data }) =>
      customType === 'openbot.turn' && data !== undefined ? [data.messages] : [],
    );
  }

  writeScript(name: string, script: Script): void {
    mkdirSync(join(this.stateDir, 'scripts'), { recursive: true });
    writeFileSync(join(this.stateDir, 'scripts', `${name}.json`), JSON.stringify(script));
  }

  /** Every transcript opens in pi, with all its messages and a result for each call. */
  checkTranscripts(): void {
    for (const path of globSync(join(this.stateDir, 'agents/*/sessions/*.jsonl'))) {
      const { messages } = SessionManager.open(path).buildSessionContext();
      const calls = messages.flatMap((message) =>
        message.role === 'assistant' ? message.content.filter(({ type }) => type === 'toolCall') : [],
      );
      const results = messages.filter(({ role }) => role === 'toolResult');
      if (calls.length !== results.length) throw new Error(`${path} has calls without results.`);
      if (messages.length === 0) throw new Error(`${path} has no messages.`);
    }
  }
}

export interface HomeOptions extends Partial<BotOptions> {
  readonly script?: Script;
  readonly play?: Play;
}

/** Says what it is asked to: `say hello`. */
export const PARROT: Play = ({ prompt }) => [{ text: /say (.*)$/s.exec(prompt)?.[1] ?? prompt }];

export function asAnswer(play: Play): (question: Question) => Answer {
  return async function* (question) {
    const played = play({ ...question, prompt: withoutDay(question.prompt) });
    if (Symbol.asyncIterator in played) yield* played;
    else for (const step of played) yield step;
  };
}

/** A message without the day and the network, which the first one of a conversation tells. */
export function withoutDay(text: string): string {
  const told = /^System: \[[^\]]*\] Today is .*\n(?:System: Messages to you come from .*\n)?/m;
  return text.replace(told, '').replace(/^\n/, '');
}

export function textOf({ content }: NonNullable<Line['message']>): string {
  if (typeof content === 'string') return content;
  return content.flatMap(({ text }) => text ?? []).join('');
}

export function readLines(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

export const textsOf = ({ payloads }: SayResult) => payloads.map(({ text }) => text);

/** A network with people on it, and the account of the bot. */
export class Chat {
  readonly channel: MemoryChannel;
  #next = 0;

  constructor(options: ConstructorParameters<typeof MemoryChannel>[0] = {}) {
    this.channel = new MemoryChannel(options);
  }

  /** The same network for the next process. */
  again(): Chat {
    const { name, accountId, network } = this.channel;
    const chat = new Chat({ name, accountId, network });
    chat.#next = this.#next + 1000;
    return chat;
  }

  /** A direct message. */
  async write(from: string, text: string, more: { id?: string; ctx?: MsgContext } = {}): Promise<void> {
    const messageId = more.id ?? `auto${++this.#next}`;
    const { name, accountId } = this.channel;
    await this.channel.receive({
      conversationId: from,
      messageId,
      ctx: {
        RawBody: text,
        From: from,
        To: 'bot',
        SenderId: from,
        SenderName: from,
        ChatType: 'direct',
        Provider: name,
        AccountId: accountId,
        OriginatingChannel: name,
        OriginatingTo: from,
        MessageSid: messageId,
        ...more.ctx,
      },
    });
  }

  async writeInGroup(
    group: string,
    sender: { name: string; id: string },
    text: string,
    ctx: MsgContext = {},
  ): Promise<void> {
    const { name } = this.channel;
    await this.channel.receive({
      conversationId: group,
      messageId: `g${++this.#next}`,
      ctx: {
        RawBody: text,
        From: `${name}:group:${group}`,
        SenderId: sender.id,
        SenderE164: sender.id.startsWith('+') ? sender.id : undefined,
        SenderName: sender.name,
        ChatType: 'group',
        Provider: name,
        OriginatingChannel: name,
        OriginatingTo: group,
        ...ctx,
      },
    });
  }

  /** Resolves when people see such a line. */
  async until(isIt: (line: string) => boolean): Promise<void> {
    while (!this.shown.some(isIt)) await sleep(10);
  }

  get shown(): string[] {
    return this.channel.network.shown.map(({ target, payload }) => `${target.to}: ${payload.text}`);
  }
}

export { MemoryNetwork };

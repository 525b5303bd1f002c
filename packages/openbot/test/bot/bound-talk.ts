/** A conversation with a model that binds its thinking to what was said before, and how much of it each request keeps. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MsgContext } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import {
  apiErrors,
  blocksOf,
  call,
  type MessageReply,
  type MessagesRequest,
  say,
  think,
} from '../../../../test/imitations/messages-format.ts';
import { commonPrefix, textOfRequest } from '../../../../test/imitations/thinking-binding.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import type { Bot } from '../../src/bot/contract.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { BotHome, Chat } from './bot-home.ts';

/** Who runs the model: pi, which knows it or reads of it in `models.providers`, or Claude Code. */
export type BoundModel = 'pi' | 'claude' | 'described';

export const BOUND_MODELS: readonly BoundModel[] = ['pi', 'claude', 'described'];

const MODELS: Readonly<Record<BoundModel, string>> = {
  pi: 'anthropic/claude-opus-5-5',
  claude: 'claude/claude-opus-5-5',
  described: 'far/claude-sonnet-5-5',
};

export interface KeptPrefix {
  readonly requests: number;
  readonly refused: number;
  /** Thinking that the provider left out, counted in each request. */
  readonly dropped: number;
  /** Of each request, the part with which the next one begins: from 0 to 1. */
  readonly common: readonly number[];
  /** What an earlier request began with too, of everything that was sent: from 0 to 1. */
  readonly cached: number;
  /** Turns without an answer. */
  readonly failed: readonly string[];
}

export interface TurnOptions {
  readonly tool?: string;
  readonly input?: object;
  /** For this turn alone. */
  readonly model?: string;
}

const EVENING = Date.UTC(2026, 10, 18, 22);

export class BoundTalk {
  readonly home = new BotHome();
  /** Changes count from the next turn on. */
  readonly config: BotConfig;
  readonly api: MessagesApi;
  readonly chats = [new Chat(), new Chat({ name: 'other' })] as const;
  readonly #failed: string[] = [];
  readonly #env: Environment;
  /** The provider is overloaded. */
  isDown = false;
  #bot: Bot | undefined;
  #now = EVENING;
  #calls = 0;

  private constructor(model: BoundModel, api: MessagesApi, env: Environment) {
    this.api = api;
    this.#env = env;
    const far = { baseUrl: api.url, apiKey: 'key', api: 'anthropic-messages' };
    const described = { id: 'claude-sonnet-5-5', reasoning: true, input: ['text', 'image'] };
    this.config = {
      tools: { exec: { security: 'full' } },
      agents: { defaults: { model: MODELS[model], userTimezone: 'UTC', thinkingDefault: 'low' } },
      models: {
        providers: { anthropic: { baseUrl: api.url, apiKey: 'key' }, far: { ...far, models: [described] } },
      },
    };
    api.setReplies((request) => (this.isDown ? apiErrors.overloaded() : this.#reply(request)));
  }

  static async open(model: BoundModel): Promise<BoundTalk> {
    const claude = model === 'claude' ? await ClaudeBench.open() : undefined;
    const api = claude?.api ?? (await startMessagesApi({ replies: [] }));
    afterTest(() => (claude ?? api).close());
    const talk = new BoundTalk(model, api, claude?.home.env ?? {});
    await talk.restart();
    return talk;
  }

  /** The next process: it looks for skills, and knows nothing of what was said. */
  async restart(): Promise<void> {
    await this.close();
    const channels = this.chats.map(({ channel }) => channel);
    const options = { config: this.config, env: this.#env, channels, now: () => this.#now };
    this.#bot = await this.home.open(options);
  }

  /** One turn in which the agent calls this tool, if any, then answers. */
  async turn(words: string, { tool = 'list_files', input = {}, model }: TurnOptions = {}): Promise<void> {
    this.#now += 60_000;
    const message = tool === '' ? words : `${words}\nCALL ${tool} ${JSON.stringify(input)}`;
    const { outcome } = await this.#bot!.say({ message, ...(model !== undefined && { model }) });
    if (outcome !== 'answered') this.#failed.push(words);
  }

  /** A command for the bot itself, which is no turn. */
  async command(text: string): Promise<string> {
    const { payloads } = await this.#bot!.say({ message: text });
    return payloads.map(({ text }) => text).join('\n');
  }

  /** The same from a chat network, with what else its message carries. */
  async chatTurn(chat: Chat, words: string, ctx: MsgContext = {}): Promise<void> {
    this.#now += 60_000;
    await chat.write('ada', `${words}\nCALL list_files {}`, { ctx });
    await this.#bot!.idle();
  }

  writeFile(path: string, text: string): void {
    const file = join(this.home.stateDir, 'workspace', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  passMidnight(): void {
    const day = 24 * 3_600_000;
    this.#now = Math.ceil(this.#now / day) * day;
  }

  async close(): Promise<void> {
    await this.#bot?.close();
  }

  /** Requests without tools are no part of the conversation. */
  measure(): KeptPrefix {
    const requests = this.api.conversations.filter(({ tools = [] }) => tools.length > 0);
    const texts = requests.map(textOfRequest);
    const cached = texts.map((text, at) =>
      Math.max(0, ...texts.slice(0, at).map((earlier) => countCommon(earlier, text))),
    );
    return {
      requests: requests.length,
      refused: this.api.faults.length,
      dropped: this.api.dropped.length,
      common: requests.slice(1).map((request, at) => commonPrefix(requests[at]!, request)),
      cached: sum(cached) / sum(texts.map(({ length }) => length)),
      failed: this.#failed,
    };
  }

  #reply({ messages, tools = [], thinking }: MessagesRequest): MessageReply {
    if (tools.length === 0) return { blocks: [say('A summary of what was said.')] };
    const thinks = !['disabled', undefined].includes((thinking as { type?: string } | undefined)?.type);
    const last = blocksOf(messages.findLast(({ role }) => role === 'user')!);
    const text = last.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const [, name = '', input = ''] = /^CALL (\S+) (.*)$/m.exec(text) ?? [];
    const tool = tools.find((one) => one.name.endsWith(name));
    const isEnd = last.some(({ type }) => type === 'tool_result') || name === '' || tool === undefined;
    const count = ++this.#calls;
    const next = isEnd ? say(`Answer ${count}.`) : call(`toolu_${count}`, tool.name, JSON.parse(input));
    return { blocks: [...(thinks ? [think(`Thought ${count}.`)] : []), next] };
  }
}

/**
 * Ten turns with what changes in a day: the agent writes its MEMORY.md, a skill is added, midnight passes, and the person
 * changes a setting.
 */
export async function playTenTurns(talk: BoundTalk): Promise<void> {
  for (let turn = 1; turn <= 10; turn++) {
    const memory = { path: 'MEMORY.md', content: 'Ada likes tea.' };
    await talk.turn(`Question ${turn}`, turn === 3 ? { tool: 'write_file', input: memory } : {});
    if (turn === 5) {
      talk.writeFile(
        'skills/tea/SKILL.md',
        '---\nname: tea\ndescription: How to make tea.\n---\nBoil water.\n',
      );
      await talk.restart();
    }
    if (turn === 7) talk.passMidnight();
    if (turn === 9) talk.config.agents!.defaults!.systemPrompt = 'Be brief.';
  }
}

function countCommon(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Providers on loopback whose model does what a script says, for the real SDK of pi. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChatApi } from '../../../../../test/imitations/chat-api.ts';
import {
  type ChatMessage,
  type ChatReply,
  chatErrors,
  textOf,
} from '../../../../../test/imitations/chat-format.ts';
import { tokensOf } from '../../../../../test/imitations/loopback-server.ts';
import { startMessagesApi } from '../../../../../test/imitations/messages-api.ts';
import {
  type ApiMessage,
  apiErrors,
  blocksOf,
  call,
  type Reply,
  say,
  think,
} from '../../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import type { ProviderSettings } from '../../../src/config/bot-config.ts';
import type { Runner } from '../../../src/runners/contract.ts';
import { openPiRunner } from '../../../src/runners/pi/runner.ts';
import type { Script, ScriptCall, ScriptStep, ScriptTurn } from '../../../src/runners/script/script.ts';

export const KEY = 'key-of-the-imitation';
export const SUMMARY = 'They talked.';

/** What the model does with one request. */
interface Move {
  thinking?: string;
  text?: string;
  calls: ScriptCall[];
  ends?: 'stall' | 'overflow' | { fail: string; transient?: boolean };
  waitMs?: number;
}

/** What a request says about where the script is. */
interface Position {
  /** The last words of the person. */
  readonly prompt: string;
  /** How many times a person has spoken. */
  readonly count: number;
  /** Messages with calls since then. */
  readonly rounds: number;
}

export interface ScriptedProvider {
  readonly settings: ProviderSettings;
  readonly conversations: readonly { readonly messages: readonly unknown[] }[];
  readonly faults: readonly string[];
}

export function openPi(name: string, settings: ProviderSettings, stateDir = '/nowhere'): Promise<Runner> {
  return openPiRunner({ stateDir, config: { models: { providers: { [name]: settings } } }, env: {} });
}

const MODEL = { id: 'm', reasoning: true, input: ['text', 'image'], cost: { input: 3, output: 15 } };

export async function startAnthropicKind(script: Script, window?: number): Promise<ScriptedProvider> {
  const play = player(script);
  const api = await startMessagesApi({
    key: KEY,
    window,
    replies: async ({ messages, system, tools }): Promise<Reply> => {
      const usage = { input_tokens: tokensOf([system, messages]) };
      if (isSummary(tools, messages)) return { blocks: [say(SUMMARY)], usage };
      const { thinking, text, calls, ends, waitMs } = play(positionOfMessages(messages));
      if (waitMs !== undefined) await sleep(waitMs);
      if (ends === 'overflow') return apiErrors.promptTooLong(usage.input_tokens, 1000);
      const blocks = [
        ...(thinking === undefined ? [] : [think(thinking)]),
        ...(text === undefined ? [] : [say(text)]),
        ...calls.map(({ tool, args = {} }) => call(`toolu_${randomUUID()}`, tool, args)),
      ];
      if (ends === undefined) return { blocks, usage };
      if (ends === 'stall') return { blocks, usage, breaksOff: 'stall' };
      const error = ends.transient
        ? { ...apiErrors.overloaded(), message: ends.fail }
        : apiErrors.invalidRequest(ends.fail);
      return { blocks, usage, breaksOff: error };
    },
  });
  afterTest(() => api.close());
  const { conversations, faults } = api;
  const settings = { baseUrl: api.url, apiKey: KEY, api: 'anthropic-messages', models: [modelOf(script)] };
  return { settings, conversations, faults };
}

export async function startOpenaiKind(script: Script, window?: number): Promise<ScriptedProvider> {
  const play = player(script);
  const api = await startChatApi({
    key: KEY,
    window,
    reply: async ({ messages, tools }): Promise<ChatReply> => {
      if (
        isSummary(
          tools,
          messages.filter(({ role }) => role === 'user'),
        )
      )
        return { text: SUMMARY };
      const { thinking, text, calls, ends, waitMs } = play(positionOfChat(messages));
      if (waitMs !== undefined) await sleep(waitMs);
      if (ends === 'overflow') return chatErrors.tooLong(tokensOf(messages), 1000);
      const named = calls.map(({ tool, args = {} }) => ({
        id: `call_${randomUUID()}`,
        name: tool,
        arguments: args,
      }));
      const answer = { thinking, text, calls: named };
      if (ends === undefined) return answer;
      if (ends === 'stall') return { ...answer, breaksOff: 'stall' };
      return { status: ends.transient ? 503 : 400, message: ends.fail };
    },
  });
  afterTest(() => api.close());
  const { conversations, faults } = api;
  const settings = { baseUrl: api.url, apiKey: KEY, api: 'openai-completions', models: [modelOf(script)] };
  return { settings, conversations, faults };
}

function modelOf({ contextWindow }: Script) {
  return { ...MODEL, contextWindow };
}

function isSummary(tools: unknown, messages: readonly unknown[]): boolean {
  return tools === undefined && messages.length === 1 && JSON.stringify(messages).includes('summar');
}

function positionOfMessages(messages: readonly ApiMessage[]): Position {
  let position: Position = { prompt: '', count: 0, rounds: 0 };
  for (const message of messages) {
    const blocks = blocksOf(message);
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    if (message.role === 'user' && text !== '')
      position = { prompt: text, count: position.count + 1, rounds: 0 };
    if (message.role === 'assistant' && blocks.some(({ type }) => type === 'tool_use'))
      position = { ...position, rounds: position.rounds + 1 };
  }
  return position;
}

function positionOfChat(messages: readonly ChatMessage[]): Position {
  let position: Position = { prompt: '', count: 0, rounds: 0 };
  for (const message of messages) {
    if (message.role === 'user') position = { prompt: textOf(message), count: position.count + 1, rounds: 0 };
    if (message.tool_calls !== undefined) position = { ...position, rounds: position.rounds + 1 };
  }
  return position;
}

/** The same request gets the same move: it may be asked again. */
function player({ turns }: Script): (position: Position) => Move {
  const chosen = new Map<string, ScriptTurn>();
  let next = 0;
  return ({ prompt, count, rounds }) => {
    const name = `${count}:${prompt}`;
    const others = turns.filter(({ when }) => when === undefined);
    const turn =
      chosen.get(name) ??
      turns.find(({ when }) => when !== undefined && new RegExp(when, 'i').test(prompt)) ??
      others[Math.min(next++, others.length - 1)]!;
    chosen.set(name, turn);
    return movesOf(turn.steps)[rounds] ?? { text: 'Done.', calls: [] };
  };
}

function movesOf(steps: readonly ScriptStep[]): Move[] {
  const moves: Move[] = [];
  let move: Move = { calls: [] };
  const finish = () => {
    moves.push(move);
    move = { calls: [] };
  };
  for (const step of steps) {
    if ('text' in step) move.text = (move.text ?? '') + step.text;
    else if ('thinking' in step) move.thinking = step.thinking;
    else if ('waitMs' in step) move.waitMs = step.waitMs;
    else if ('stall' in step) move.ends = 'stall';
    else if ('overflow' in step) move.ends = 'overflow';
    else if ('fail' in step) move.ends = step;
    else if ('tool' in step || 'tools' in step) {
      move.calls.push(...('tool' in step ? [step] : step.tools));
      finish();
    }
  }
  finish();
  return moves;
}

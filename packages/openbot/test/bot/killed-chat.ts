import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { expect } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { ChatMessage, SentLine, ToParent } from './chat-process.ts';

const CHILD = programOf(import.meta.dirname, 'chat-process.ts');
const CONFIG: BotConfig = {
  session: { dmScope: 'per-channel-peer' },
  messages: { queue: { mode: 'followup', debounceMs: 0, cap: 1000 } },
};

interface KilledChatOptions {
  /** People who write. 8. */
  readonly sessions?: number;
  /** Beside that of the chat: the model, and its provider. */
  readonly config?: BotConfig;
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A network with people who write all the time, and a bot that is killed again and again. */
export class KilledChat {
  readonly stateDir: string;
  readonly sentFile: string;
  readonly taken = new Map<string, ChatMessage>();
  readonly #waiting: ChatMessage[] = [];
  readonly #chance: () => number;
  readonly #options: KilledChatOptions;
  #next = 0;

  constructor(chance: () => number, options: KilledChatOptions = {}) {
    this.#chance = chance;
    this.#options = options;
    const home = mkdtempSync(join(tmpdir(), 'openbot-kill-'));
    afterTest(() => rmSync(home, { recursive: true, force: true }));
    this.stateDir = join(home, 'state');
    this.sentFile = join(home, 'sent.jsonl');
  }

  /** Starts the bot and gives it messages for some time; what was not acknowledged is delivered again later. */
  async live(ms: number, messages: number): Promise<void> {
    const child = await this.#start();
    for (let n = 0; n < messages; n++) this.#waiting.push(this.#write());
    for (const message of this.#waiting) child.send(message, () => {});
    await Promise.race([sleep(ms), once(child, 'exit')]);
    await kill(child);
  }

  /** Lets the bot finish everything. */
  async finish(): Promise<void> {
    const child = await this.#start();
    for (const message of this.#waiting) child.send(message);
    while (this.#waiting.length > 0) await once(child, 'message');
    child.send('end');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  }

  listSent(): SentLine[] {
    return readLines<SentLine>(this.sentFile);
  }

  #write(): ChatMessage {
    const id = `m${this.#next++}`;
    const from = `person${Math.floor(this.#chance() * (this.#options.sessions ?? 8))}`;
    const text = this.#next % 3 === 0 ? `list the files (${id})` : `say ${id} again`;
    return { id, from, text };
  }

  async #start(): Promise<ChildProcess> {
    const { env } = this.#options;
    const config: BotConfig = { ...CONFIG, ...this.#options.config };
    const child = fork(CHILD, [this.stateDir, this.sentFile, JSON.stringify(config)], {
      env: { ...process.env, ...env },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    afterTest(() => child.kill('SIGKILL'));
    child.on('message', (message: ToParent) => {
      if (!('taken' in message)) return;
      const at = this.#waiting.findIndex(({ id }) => id === message.taken);
      const [taken] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (taken !== undefined) this.taken.set(taken.id, taken);
    });
    await once(child, 'message');
    return child;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

function readLines<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

interface Line {
  readonly type: string;
  readonly customType?: string;
  readonly data?: { readonly turnId: string; readonly messages: readonly string[] };
}

/** Every message that was taken has one turn and its reply, and every transcript opens in pi with each call answered. */
export function checkKilled(chat: KilledChat): void {
  const transcripts = globSync(join(chat.stateDir, 'agents/main/sessions/*.jsonl'));
  const turnsOf = new Map<string, Set<string>>();
  const runsOf = new Map<string, number>();
  for (const path of transcripts) {
    for (const { customType, data } of readLines<Line>(path)) {
      if (customType !== 'openbot.turn' || data === undefined) continue;
      runsOf.set(data.turnId, (runsOf.get(data.turnId) ?? 0) + 1);
      for (const id of data.messages) turnsOf.set(id, (turnsOf.get(id) ?? new Set()).add(data.turnId));
    }
  }
  const wrong = [...chat.taken.keys()].filter((id) => turnsOf.get(id)?.size !== 1);
  expect(wrong, 'messages without exactly one turn').toEqual([]);

  const sent = chat.listSent();
  const byKey = Map.groupBy(sent, ({ key }) => key);
  // A run that is cut off eight times is not begun again, as when each one ends its process.
  const tooSoon = sent.filter(
    ({ key }) => key.endsWith(':failed') && (runsOf.get(key.slice(0, -':failed'.length)) ?? 0) < 8,
  );
  expect(tooSoon, 'messages that were given up too soon').toEqual([]);
  const answered = Map.groupBy(sent, ({ key }) => key.slice(0, key.lastIndexOf(':')));
  const lost = [...chat.taken.keys()].filter(
    (id) => ![...turnsOf.get(id)!].every((turnId) => answered.has(turnId)),
  );
  expect(lost, 'messages whose reply was not sent').toEqual([]);
  const astray = [...chat.taken.values()].filter(({ id, from }) =>
    [...turnsOf.get(id)!].some((turnId) => answered.get(turnId)!.some(({ to }) => to !== from)),
  );
  expect(astray, 'messages whose reply went to another person').toEqual([]);
  const unmarked = [...byKey.values()].filter(
    (lines) => lines.filter((line) => !line.mayBeRepeat).length > 1,
  );
  expect(unmarked, 'replies that were sent twice without a mark').toEqual([]);

  for (const path of transcripts) {
    const manager = SessionManager.open(path);
    const { messages } = manager.buildSessionContext();
    const lines = readLines<Line>(path).filter(({ type }) => type === 'message');
    expect(messages).toHaveLength(lines.length);
    const calls = messages.flatMap((message) =>
      message.role === 'assistant' ? message.content.filter(({ type }) => type === 'toolCall') : [],
    );
    expect(messages.filter(({ role }) => role === 'toolResult')).toHaveLength(calls.length);
  }
}

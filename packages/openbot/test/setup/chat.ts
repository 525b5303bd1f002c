import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import type { ChatMessage, SentLine, ToParent } from '../bot/chat-process.ts';
import { letEverybodyTalk } from '../bot/let-everybody-talk.ts';
import { makeTempFolder } from './temp-folder.ts';

const CHILD = programOf(import.meta.dirname, '../bot/chat-process.ts');

/** A state folder with an openbot.json, and a bot that stays open on it in a process of its own. */
export interface Chat {
  readonly stateDir: string;
  readonly notices: readonly string[];
  configure(config: object | string): void;
  /** Resolves when the message is durable. */
  tell(message: Partial<ChatMessage> & { readonly text: string }): Promise<void>;
  /** Also resolves when so many replies were sent in all. */
  ask(
    message: Partial<ChatMessage> & { readonly text: string },
    replies?: number,
  ): Promise<readonly SentLine[]>;
  sent(): readonly SentLine[];
  /** How often it has read another configuration. */
  changes(): number;
  /** The entries of an agent by their keys. */
  store(agentId: string): Record<string, { sessionId: string }>;
  until(what: (told: readonly ToParent[]) => boolean): Promise<void>;
  /** Lets it finish, and ends it. */
  end(): Promise<void>;
}

export async function openChat(config: object, prepare?: (stateDir: string) => void): Promise<Chat> {
  const folder = makeTempFolder();
  const stateDir = join(folder, 'state');
  const sentFile = join(folder, 'sent.jsonl');
  const configPath = join(stateDir, 'openbot.json');
  mkdirSync(stateDir);
  const configure: Chat['configure'] = (to) =>
    writeFileSync(
      configPath,
      typeof to === 'string' ? to : JSON.stringify(letEverybodyTalk(structuredClone(to), 'chat')),
    );
  configure(config);
  prepare?.(stateDir);
  const child: ChildProcess = fork(CHILD, [stateDir, sentFile, 'watch'], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_COMPILE_CACHE: inject('compiled'),
    },
  });
  afterTest(() => void child.kill('SIGKILL'));
  const told: ToParent[] = [];
  child.on('message', (message: ToParent) => void told.push(message));
  const until: Chat['until'] = async (what) => {
    while (!what(told)) {
      if (child.exitCode !== null) throw new Error('The bot has ended');
      await sleep(10);
    }
  };
  await until((all) => all.some((one) => 'ready' in one));
  let count = 0;
  const sent = () =>
    existsSync(sentFile)
      ? readFileSync(sentFile, 'utf8')
          .split('\n')
          // The last one may be half there.
          .slice(0, -1)
          .map((line): SentLine => JSON.parse(line))
      : [];
  const tell: Chat['tell'] = async (message) => {
    const id = message.id ?? `m${++count}`;
    child.send({ from: '42', ...message, id });
    await until((all) => all.some((one) => 'taken' in one && one.taken === id));
  };
  return {
    stateDir,
    get notices() {
      return told.flatMap((one) => ('notice' in one ? [one.notice] : []));
    },
    configure,
    tell,
    async ask(message, replies = 1) {
      const before = sent().length;
      await tell(message);
      await until(() => sent().length >= before + replies);
      return sent().slice(before);
    },
    sent,
    changes: () => told.filter((one) => 'changed' in one).length,
    store: (agentId) => {
      const path = join(stateDir, 'agents', agentId, 'sessions', 'sessions.json');
      return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    },
    until,
    async end() {
      const ended = once(child, 'exit');
      child.send('end');
      await ended;
    },
  };
}

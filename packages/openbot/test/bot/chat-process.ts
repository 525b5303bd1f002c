/**
 * A bot in a process of its own, on a chat network that is its parent. Messages come in over the IPC channel and are
 * acknowledged there once they are durable. What is sent is a line in a file, as a network would keep it.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MsgContext } from '@openbot/sessions';
import { keepCompiled } from '../../../../test/setup/keep-compiled.ts';
import { openBot } from '../../src/bot/open-bot.ts';
import {
  type Channel,
  type ChannelHost,
  PLAIN_CHANNEL,
  type SendRequest,
} from '../../src/channels/contract.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { type BotState, openState } from '../../src/state/open-state.ts';
import { letEverybodyTalk } from './let-everybody-talk.ts';

export interface ChatMessage {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  /** Which of the two accounts got it: `default`, or `work`. */
  readonly account?: string;
  /** What else the network says of it, such as its group. */
  readonly ctx?: MsgContext;
}

export interface SentLine {
  readonly key: string;
  readonly to: string;
  readonly text: string;
  readonly mayBeRepeat: boolean;
  readonly replyToId?: string;
}

export type ToParent =
  | { readonly ready: true }
  | { readonly changed: true }
  | { readonly notice: string }
  | { readonly taken: string }
  | { readonly failed: string; readonly error: string };

/**
 * `watch` for the configuration: openbot.json of the state folder, as it is at the time. With `shown:<text>` the process is
 * killed when the network has a message with this text and the outbox does not know it; see openKilledState for others.
 */
const [stateDir = '', sentFile = '', configText = '{}', killAt] = process.argv.slice(2);

class ParentChannel implements Channel {
  readonly name = 'chat';
  readonly accountId: string;
  readonly capabilities = PLAIN_CHANNEL;
  #host: ChannelHost | undefined;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  health() {
    return { state: 'connected', since: 0 } as const;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
  }

  async receive({ id, from, text, ctx: more }: ChatMessage): Promise<void> {
    const ctx: MsgContext = {
      RawBody: text,
      From: from,
      To: 'bot',
      SenderId: from,
      ChatType: 'direct',
      Provider: 'chat',
      OriginatingChannel: 'chat',
      OriginatingTo: from,
      MessageSid: id,
      ...more,
    };
    await this.#host!.accept({ conversationId: ctx.OriginatingTo!, messageId: id, ctx });
  }

  async send({ key, target, payload, mayBeRepeat }: SendRequest): Promise<{ ids: string[] }> {
    const line: SentLine = {
      key,
      to: target.to,
      text: payload.text ?? '',
      mayBeRepeat,
      replyToId: payload.replyToId,
    };
    appendFileSync(sentFile, `${JSON.stringify(line)}\n`);
    if (killAt?.startsWith('shown:') && line.text.includes(killAt.slice('shown:'.length)))
      process.kill(process.pid, 'SIGKILL');
    return { ids: [key] };
  }

  async stop(): Promise<void> {
    this.#host = undefined;
  }
}

/**
 * The state, in a process that is killed when it has put a message whose key has `killAt` in it into the outbox; with
 * `before:<text>`, when it is about to put one with this text; with `sent:<key>`, when the outbox has one as sent; with
 * `wrote:<text>`, when a line with it is in a transcript.
 */
async function openKilledState(at: string): Promise<BotState> {
  const state = await openState(stateDir);
  const { put, sent } = state.outbox;
  const outbox: BotState['outbox'] = {
    ...state.outbox,
    put: async (messages) => {
      const before = at.startsWith('before:') ? at.slice('before:'.length) : undefined;
      if (before !== undefined && messages.some(({ payload }) => payload.text?.includes(before)))
        process.kill(process.pid, 'SIGKILL');
      const added = await put(messages);
      if (messages.some(({ key }) => key.includes(at))) process.kill(process.pid, 'SIGKILL');
      return added;
    },
    sent: async (key, ...how) => {
      const isKept = await sent(key, ...how);
      if (at.startsWith('sent:') && key.includes(at.slice('sent:'.length)))
        process.kill(process.pid, 'SIGKILL');
      return isKept;
    },
  };
  const append: BotState['transcripts']['append'] = async (ref, drafts) => {
    const appended = await state.transcripts.append(ref, drafts);
    if (at.startsWith('wrote:') && JSON.stringify(drafts).includes(at.slice('wrote:'.length)))
      process.kill(process.pid, 'SIGKILL');
    return appended;
  };
  return { ...state, outbox, transcripts: Object.assign(Object.create(state.transcripts), { append }) };
}

const tell = (message: ToParent) => process.send?.(message);
const channels = ['default', 'work'].map((accountId) => new ParentChannel(accountId));
mkdirSync(join(stateDir), { recursive: true });
const report = (notice: string) => tell({ notice });
const watched = configText === 'watch' ? await watchConfig(stateDir, process.env, { report }) : undefined;
const bot = await openBot({
  stateDir,
  config: watched?.config ?? letEverybodyTalk(JSON.parse(configText), 'chat'),
  onConfigChange: watched?.onChange,
  env: process.env,
  channels,
  report: ({ message }) => report(message),
  state: killAt === undefined ? undefined : await openKilledState(killAt),
});
process.on('message', (message: ChatMessage | 'end') => {
  if (message === 'end') {
    void bot
      .idle()
      .then(() => bot.close())
      .then(() => process.disconnect());
    return;
  }
  const channel = channels.find(({ accountId }) => accountId === (message.account ?? 'default'));
  channel!.receive(message).then(
    () => tell({ taken: message.id }),
    (error: Error) => tell({ failed: message.id, error: error.message }),
  );
});
watched?.onChange(() => tell({ changed: true }));
process.on('disconnect', () => process.exit(0));
keepCompiled();
tell({ ready: true });

/**
 * A bot in a process of its own, on a chat network that is its parent. Messages come in over the IPC channel and are
 * acknowledged there once they are durable. What is sent is a line in a file, as a network would keep it.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MsgContext } from '@openbot/sessions';
import { keepCompiled } from '../../../../test/setup/keep-compiled.ts';
import { openBot } from '../../src/bot/open-bot.ts';
import type { Channel, ChannelHost, SendRequest } from '../../src/channels/contract.ts';
import { type BotState, openState } from '../../src/state/open-state.ts';

export interface ChatMessage {
  readonly id: string;
  readonly from: string;
  readonly text: string;
}

export interface SentLine {
  readonly key: string;
  readonly to: string;
  readonly text: string;
  readonly mayBeRepeat: boolean;
}

export type ToParent =
  | { readonly ready: true }
  | { readonly taken: string }
  | { readonly failed: string; readonly error: string };

const [stateDir = '', sentFile = '', configText = '{}', killAt] = process.argv.slice(2);

class ParentChannel implements Channel {
  readonly name = 'chat';
  readonly accountId = 'default';
  readonly recognisesRepeats = false;
  #host: ChannelHost | undefined;

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
  }

  async receive({ id, from, text }: ChatMessage): Promise<void> {
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
    };
    await this.#host!.accept({ conversationId: from, messageId: id, ctx });
  }

  async send({ key, target, payload, mayBeRepeat }: SendRequest): Promise<{ ids: string[] }> {
    const line: SentLine = { key, to: target.to, text: payload.text ?? '', mayBeRepeat };
    appendFileSync(sentFile, `${JSON.stringify(line)}\n`);
    return { ids: [key] };
  }

  async stop(): Promise<void> {
    this.#host = undefined;
  }
}

/** The state, in a process that is killed when it has put a message whose key has `killAt` in it into the outbox. */
async function openKilledState(at: string): Promise<BotState> {
  const state = await openState(stateDir);
  const { put } = state.outbox;
  const outbox: BotState['outbox'] = {
    ...state.outbox,
    put: async (messages) => {
      await put(messages);
      if (messages.some(({ key }) => key.includes(at))) process.kill(process.pid, 'SIGKILL');
    },
  };
  return { ...state, outbox };
}

const tell = (message: ToParent) => process.send?.(message);
const channel = new ParentChannel();
mkdirSync(join(stateDir), { recursive: true });
const bot = await openBot({
  stateDir,
  config: JSON.parse(configText),
  env: process.env,
  channels: [channel],
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
  channel.receive(message).then(
    () => tell({ taken: message.id }),
    (error: Error) => tell({ failed: message.id, error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
keepCompiled();
tell({ ready: true });

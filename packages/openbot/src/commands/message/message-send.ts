import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { resolveUserPath } from '@openbot/sessions/layout';
import { findNearest, printable } from '@openbot/sessions/terminal-text';
import type { BotConfig } from '../../config/bot-config.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { COMMAND_METHOD } from '../../gateway-client/contract.ts';
import { findHolder } from '../../gateway-process/find-gateway.ts';
import { isOpenclaws } from '../../index-db/index-path.ts';
import type { OutboundMessage, Outbox, OutboxMessage, OutboxState } from '../../outbox/contract.ts';
import { hasNothingButMedia, pickChannelData, type ReplyPayload } from '../../outbox/reply-payload.ts';
import { resolveAddress } from '../../routing/request-route.ts';
import { mirrorLetter } from '../../state/mirror-letter.ts';
import { openState } from '../../state/open-state.ts';
import { describeChannels, hasDriver } from '../../state-report/parts.ts';
import { findAccount } from '../channels/account.ts';
import { openGatewayFor } from '../through-gateway.ts';
import type { MESSAGE_SEND_FLAGS } from './flags.ts';

type Input = CommandInput<typeof MESSAGE_SEND_FLAGS>;

/** A process that has the channel sends at once; without one there is nothing to wait for. */
const WAIT_MS = 5000;

/** Puts a message into the outbox, and notes it in the session of its recipient. */
export async function messageSend(input: Input): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const channelData = readChannelData(flags.channelData);
  const content = readContent(input);
  if (flags.target === undefined)
    throw usage('Who gets it?', 'Name the recipient: openbot message send -t 42 -m "hello"');
  const { config } = await loadBotConfig(stateDir, env);
  if (isOpenclaws(stateDir, env))
    throw usage(
      `${stateDir} is OpenClaw's, and openbot writes nothing into it`,
      'Use: openclaw message send',
    );
  const channel = chooseChannel(config, flags.channel);
  const payload: ReplyPayload = { ...content, ...pickChannelData(channelData, channel) };
  if (payload.text === undefined && payload.mediaUrl === undefined && payload.channelData === undefined)
    throw usage(
      `There is no message${channelData === undefined ? '' : `, and --channel-data has nothing for ${channel}`}`,
      'Give one: openbot message send -t 42 -m "hello"',
    );
  const isServed = findHolder(stateDir) !== undefined;
  if (!isServed && !hasDriver(channel))
    throw usage(
      `This version cannot speak on ${channel}, and no process runs that could send it`,
      'Start the process that has the channel, and send it again. Nothing was kept',
    );
  const { accountId } = findAccount(config, env, { channel, account: flags.account });
  const { agentId, sessionKey } = resolveAddress({ config, to: flags.target, channel, accountId });
  const target = { channel, accountId, to: flags.target, threadId: flags.threadId };
  const key = `send:${randomUUID()}`;
  const printed = { key, ...target, sessionKey, dryRun: flags.dryRun === true };
  if (flags.dryRun) {
    if (flags.json) return writeJson(terminal, { ...printed, state: 'none', ids: [], mirrored: false });
    terminal.say(`Would send to ${printable(target.to)} on ${printable(channel)}: ${describe(payload)}\n`);
    return;
  }
  const message = { key, agentId, sessionKey, target, payload, createdAt: Date.now() };
  const gateway = await openGatewayFor(stateDir, flags);
  const { sent, mirrored } =
    gateway === undefined
      ? await sendHere({ stateDir, store: config.session?.store, env }, message, isServed ? WAIT_MS : 0)
      : await gateway.call<Sent>(COMMAND_METHOD.send, { message, waitMs: WAIT_MS });
  const ids = sent?.state === 'sent' ? sent.ids : [];
  if (sent?.state === 'dead')
    throw new OpenBotError('MESSAGE_REFUSED', `${channel} refused it: ${sent.error}`, {
      hint: "'openbot outbox list' has it",
    });
  const mediaError = sent?.state === 'sent' ? sent.error : undefined;
  if (mediaError !== undefined && hasNothingButMedia(payload))
    throw new OpenBotError('MEDIA_NOT_SENT', `The file was not sent: ${mediaError}`, {
      hint: `The chat has only a note of it${ids.length === 0 ? '' : ` (message ${ids.join(', ')})`}`,
    });
  if (mediaError !== undefined)
    terminal.warn(
      `${terminal.errorPalette.yellow('Warning:')} the file was not sent: ${printable(mediaError)}\n`,
    );
  if (flags.json)
    return writeJson(terminal, {
      ...printed,
      state: sent?.state ?? 'waiting',
      ids,
      error: sent?.error,
      mirrored,
    });
  terminal.say(
    sent?.state === 'sent'
      ? `Sent to ${printable(target.to)} on ${printable(channel)}.\n`
      : `Kept in the outbox. It is sent when a process runs that has the channel ${printable(channel)}; 'openbot status' shows it.\n`,
  );
}

interface Sent {
  readonly sent?: OutboxState & { readonly error?: string };
  /** Whether the transcript of the session has it. */
  readonly mirrored: boolean;
}

async function sendHere(
  {
    stateDir,
    store,
    env,
  }: { readonly stateDir: string; readonly store?: string; readonly env: Input['env'] },
  message: OutboundMessage,
  waitMs: number,
): Promise<Sent> {
  const state = await openState(stateDir, { store, env });
  try {
    await state.outbox.put([message]);
    const mirrored = await mirrorLetter({ state, stateDir, env }, message);
    return { sent: await waitForEnd(state.outbox, message.key, waitMs), mirrored };
  } finally {
    await state.close();
  }
}

/** Until it has an end, or the time is over. */
async function waitForEnd(outbox: Outbox, key: string, waitMs: number): Promise<OutboxMessage | undefined> {
  const until = performance.now() + waitMs;
  for (;;) {
    const message = await outbox.get(key);
    const isOver = message?.state === 'sent' || message?.state === 'dead';
    if (isOver || performance.now() >= until) return message;
    await sleep(50);
  }
}

function readChannelData(json: string | undefined): ReplyPayload['channelData'] {
  if (json === undefined) return undefined;
  try {
    const data = JSON.parse(json);
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data;
  } catch {}
  throw usage(
    `--channel-data is no JSON object: ${printable(json)}`,
    `Example: --channel-data '{"telegram":{"buttons":[[{"text":"More","callback_data":"more"}]]}}'`,
  );
}

function readContent({ flags, env }: Input): ReplyPayload {
  const { message: text, media, replyTo: replyToId } = flags;
  if (media === undefined) return { text, replyToId };
  const isAddress = /^https:\/\//i.test(media);
  const mediaUrl = isAddress ? media : resolveUserPath(media, env);
  if (!isAddress && !statSync(mediaUrl, { throwIfNoEntry: false })?.isFile())
    throw usage(`--media is neither a file nor an https address: ${media}`, 'Check the path');
  return { text, replyToId, mediaUrl, mediaUrls: [mediaUrl] };
}

function chooseChannel(config: BotConfig, named: string | undefined): string {
  const open = describeChannels(config).filter(({ enabled }) => enabled);
  const names = open.map(({ name }) => name);
  const wanted = named?.trim().toLowerCase() ?? (names.length === 1 ? names[0] : undefined);
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  const hint =
    names.length === 0
      ? 'No channel is configured: add one to channels of openbot.json'
      : `Configured: ${names.join(', ')}${named === undefined ? '; name one with --channel' : ''}`;
  const nearest = named === undefined ? undefined : findNearest(named, names);
  throw usage(
    wanted === undefined ? 'Which channel?' : `The channel ${wanted} is not configured`,
    nearest === undefined ? hint : `Did you mean ${nearest}? ${hint}`,
  );
}

function describe({ text, mediaUrl, channelData }: ReplyPayload): string {
  const data = channelData && JSON.stringify(channelData);
  return printable([text, mediaUrl, data].filter((part) => part !== undefined).join(' + '));
}

function usage(message: string, hint: string): OpenBotError {
  return new OpenBotError('USAGE', message, { hint });
}

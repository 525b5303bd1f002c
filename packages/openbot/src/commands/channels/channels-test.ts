import { resolve } from 'node:path';
import { OpenBotError, reportProgress, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { COMMAND_METHOD } from '../../gateway-client/contract.ts';
import type { OutboxState } from '../../outbox/contract.ts';
import { resolveAddress } from '../../routing/request-route.ts';
import { openGatewayFor } from '../through-gateway.ts';
import { findAccount, probeAccount, readNetwork } from './account.ts';
import type { CHANNELS_TEST_FLAGS } from './flags.ts';

type TestInput = CommandInput<typeof CHANNELS_TEST_FLAGS, readonly [{ readonly name: 'network' }]>;

const WAIT_MS = 20_000;

/** Asks the network who we are, and with --to sends a message. */
export async function channelsTest(input: TestInput): Promise<void> {
  const { flags, words, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const { name: channel } = readNetwork(words[0], 'test');
  const { config } = await loadBotConfig(stateDir, env);
  const account = findAccount(config, env, { channel, account: flags.account });
  const { accountId } = account;
  const began = performance.now();
  reportProgress({ step: 'ask', text: `Asking ${channel}` });
  const timeoutMs = flags.timeout === undefined ? undefined : flags.timeout * 1000;
  const probe = await probeAccount(account, { stateDir, timeoutMs }).finally(() =>
    reportProgress({ step: undefined }),
  );
  const durationMs = Math.round(performance.now() - began);
  const { to } = flags;
  if (to !== undefined) {
    const { agentId, sessionKey } = resolveAddress({ config, to, channel, accountId });
    const target = { channel, accountId, to };
    await send(stateDir, { agentId, sessionKey, target }, flags.message ?? 'A test of openbot. All is well.');
  }
  if (flags.json)
    return writeJson(terminal, {
      channel,
      accountId,
      probe,
      durationMs,
      ...(to !== undefined && { sentTo: to }),
    });
  terminal.say(
    `${terminal.palette.green('Works:')} ${printable(probe)} (${(durationMs / 1000).toFixed(1)} s)\n`,
  );
  if (to !== undefined) terminal.say(`Sent to ${printable(to)}.\n`);
}

/** By the process that has the channel: the network may refuse a second connection. */
async function send(
  stateDir: string,
  place: { agentId: string; sessionKey: string; target: { channel: string; accountId: string; to: string } },
  text: string,
): Promise<void> {
  const gateway = await openGatewayFor(stateDir, {});
  if (gateway === undefined)
    throw new OpenBotError('USAGE', 'No gateway runs that could send the message', {
      hint: 'Start it with: openbot gateway start. Without --to nothing is sent',
    });
  const key = `test:${crypto.randomUUID()}`;
  const message = { ...place, key, payload: { text }, createdAt: Date.now() };
  const { sent } = await gateway
    .call<{ sent?: OutboxState & { error?: string } }>(COMMAND_METHOD.send, { message, waitMs: WAIT_MS })
    .finally(() => gateway.close());
  if (sent?.state === 'sent') return;
  throw new OpenBotError(
    'CHANNEL_FAILED',
    `The message is not sent: ${sent?.error ?? 'the channel is not connected'}`,
    {
      hint: "'openbot outbox list --all' has it",
    },
  );
}

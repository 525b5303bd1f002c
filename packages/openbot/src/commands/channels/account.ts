/** The account that a command is about. */
import { OpenBotError } from '@openbot/sessions';
import { normalizeAccountId } from '@openbot/sessions/key';
import type { Environment } from '@openbot/sessions/layout';
import { findNearest } from '@openbot/sessions/terminal-text';
import { type ChannelAccount, listChannelAccounts } from '../../channels/accounts.ts';
import { CHANNEL_KINDS, type ChannelKind, findKind } from '../../channels/all.ts';
import { hideSecretsOf } from '../../channels/hide-secrets.ts';
import { openChannel } from '../../channels/open-channel.ts';
import type { BotConfig } from '../../config/bot-config.ts';

/** Throws USAGE without a name, and CHANNEL_UNKNOWN for a network that this version does not have. */
export function readNetwork(word: string | undefined, command: string): { name: string; kind: ChannelKind } {
  const names = Object.keys(CHANNEL_KINDS);
  const all = names.length === 0 ? 'This version has none' : `There are ${names.join(', ')}`;
  if (word === undefined || word.trim() === '')
    throw new OpenBotError('USAGE', 'No network given', {
      hint: `Example: openbot channels ${command} telegram. ${all}`,
    });
  const name = word.trim().toLowerCase();
  const kind = findKind(name);
  if (kind !== undefined) return { name, kind };
  const nearest = findNearest(name, names);
  throw new OpenBotError('CHANNEL_UNKNOWN', `This version cannot speak on ${name}`, {
    hint: nearest === undefined ? all : `Did you mean ${nearest}?`,
  });
}

/** Throws CHANNEL_UNKNOWN where the configuration has no such account. */
export function findAccount(
  config: BotConfig,
  env: Environment,
  { channel, account }: { readonly channel: string; readonly account: string | undefined },
): ChannelAccount {
  const accountId = normalizeAccountId(account);
  const all = listChannelAccounts(config, { env }).filter((one) => one.channel === channel);
  const found = all.find((one) => one.accountId === accountId);
  if (found !== undefined) return found;
  const others = all.map((one) => one.accountId).join(', ');
  throw new OpenBotError('CHANNEL_UNKNOWN', `The configuration has no account ${accountId} of ${channel}`, {
    hint: others === '' ? `To add it: openbot channels add ${channel}` : `It has ${others}: --account <id>`,
  });
}

const ANSWER_MS = 20_000;

/** Asks the network who we are. Sends nothing, and starts nothing. Throws what is wrong, without secrets. */
export async function probeAccount(
  account: ChannelAccount,
  { stateDir, timeoutMs = ANSWER_MS }: { readonly stateDir: string; readonly timeoutMs?: number },
): Promise<string> {
  const hide = hideSecretsOf(account.settings);
  const refuse = async () => {
    throw new Error('A test sends no files');
  };
  const media = { maxBytes: 0, keep: refuse, read: refuse };
  const channel = await openChannel(account, { stateDir, now: Date.now, media });
  if (channel.probe === undefined) return `${channel.name}: there is nothing to ask`;
  try {
    return hide(await channel.probe(AbortSignal.timeout(timeoutMs)));
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    throw new OpenBotError('CHANNEL_FAILED', hide(message), { hint: hint && hide(hint) });
  }
}

import { OpenBotError } from '@openbot/sessions';
import { type ChannelAccount, settingsOfDriver } from './accounts.ts';
import { CHANNEL_KINDS, type ChannelKinds, findKind, loadDriver } from './all.ts';
import type { Channel, ChannelOptions } from './contract.ts';

/** Loads what the network needs and makes the channel, which is not started. Throws what a person must mend. */
export async function openChannel(
  account: ChannelAccount,
  options: Omit<ChannelOptions, 'accountId' | 'settings'>,
  kinds: ChannelKinds = CHANNEL_KINDS,
): Promise<Channel> {
  const { channel, accountId } = account;
  const kind = findKind(channel, kinds);
  if (kind === undefined) {
    const known = Object.keys(kinds).join(', ');
    throw new OpenBotError('CHANNEL_UNKNOWN', `This version cannot speak on ${channel}`, {
      hint: known === '' ? undefined : `It knows: ${known}`,
    });
  }
  const driver = await loadDriver(kind);
  return driver.open({ ...options, accountId, settings: settingsOfDriver(account) });
}

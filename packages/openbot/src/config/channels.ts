import { normalizeAccountId } from '@openbot/sessions/key';
import type { BotConfig, ChannelAccountSettings } from './bot-config.ts';

/** What holds for an account of a channel: its own settings, each in the place of that of the channel. */
export function resolveChannelSettings(
  { channels }: Pick<BotConfig, 'channels'>,
  { channel, accountId }: { readonly channel: string; readonly accountId?: string },
): ChannelAccountSettings {
  const { accounts = {}, ...shared } = pick(channels ?? {}, readWord(channel), readWord) ?? {};
  return { ...shared, ...pick(accounts, normalizeAccountId(accountId), normalizeAccountId) };
}

function pick<T>(
  byName: Readonly<Record<string, T | undefined>>,
  wanted: string,
  read: (name: string) => string,
): T | undefined {
  return byName[wanted] ?? Object.entries(byName).find(([name]) => read(name) === wanted)?.[1];
}

function readWord(name: string): string {
  return name.trim().toLowerCase();
}

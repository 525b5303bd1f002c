import { normalizeAccountId } from '@openbot/sessions/key';
import type { Environment } from '@openbot/sessions/layout';
import type { BotConfig, ChannelAccountSettings, ChannelSettings } from '../config/bot-config.ts';
import { resolveChannelSettings } from '../config/channels.ts';
import { CHANNEL_KINDS, type ChannelKinds, findKind } from './all.ts';

/** An account on a chat network, as the configuration has it. */
export interface ChannelAccount {
  readonly channel: string;
  readonly accountId: string;
  readonly isEnabled: boolean;
  /** Whether this version can speak on the network. */
  readonly hasDriver: boolean;
  /**
   * What holds for it: its own settings, each in the place of that of the channel, but for what no two accounts share.
   * Secrets are resolved.
   */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Settings for all channels, as OpenClaw has them: no network. */
const FOR_ALL = 'defaults';

/** All of them, in the order of the file. */
export function listChannelAccounts(
  config: Pick<BotConfig, 'channels'>,
  { env = {}, kinds = CHANNEL_KINDS }: { readonly env?: Environment; readonly kinds?: ChannelKinds } = {},
): readonly ChannelAccount[] {
  return Object.entries(config.channels ?? {}).flatMap(([name, shared]) => {
    const channel = name.trim().toLowerCase();
    if (channel === FOR_ALL || shared === undefined) return [];
    const kind = findKind(channel, kinds);
    const distinct = kind?.distinct ?? kind?.credential;
    return listIds(shared, distinct).map((accountId): ChannelAccount => {
      const own = Object.entries(shared.accounts ?? {}).find(([id]) => normalizeAccountId(id) === accountId);
      const settings: Record<string, unknown> = { ...resolveChannelSettings(config, { channel, accountId }) };
      // The network would take two accounts for one.
      if (distinct !== undefined && accountId !== DEFAULT_ACCOUNT && !Object.hasOwn(own?.[1] ?? {}, distinct))
        delete settings[distinct];
      const secret = kind?.variable === undefined ? undefined : env[kind.variable]?.trim();
      if (kind !== undefined && secret && accountId === DEFAULT_ACCOUNT) settings[kind.credential] ??= secret;
      const isEnabled = shared.enabled !== false && own?.[1]?.enabled !== false;
      return { channel, accountId, isEnabled, hasDriver: kind !== undefined, settings };
    });
  });
}

/** Settings that hold for every network. They are looked up for each message, so that a change has effect at once. */
const OF_EVERY_NETWORK: Readonly<Record<keyof ChannelAccountSettings, true>> = {
  enabled: true,
  name: true,
  dmPolicy: true,
  allowFrom: true,
  groupPolicy: true,
  groupAllowFrom: true,
  groups: true,
  rateLimit: true,
  replyToMode: true,
  streaming: true,
  ackReaction: true,
};

/** What the driver is given: of the network alone. */
export function settingsOfDriver({ settings }: Pick<ChannelAccount, 'settings'>): ChannelAccount['settings'] {
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !Object.hasOwn(OF_EVERY_NETWORK, name)),
  );
}

const DEFAULT_ACCOUNT = normalizeAccountId(undefined);

/** Those that are listed. The settings of the channel are an account too where no other is, or where they have what makes one. */
function listIds(shared: ChannelSettings, distinct: string | undefined): readonly string[] {
  const listed = [...new Set(Object.keys(shared.accounts ?? {}).map(normalizeAccountId))];
  const hasOwn = distinct !== undefined && Object.hasOwn(shared, distinct);
  if (listed.length > 0 && (!hasOwn || listed.includes(DEFAULT_ACCOUNT))) return listed;
  return [DEFAULT_ACCOUNT, ...listed];
}

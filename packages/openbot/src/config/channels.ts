import { type MsgContext, resolveGroupSessionKey } from '@openbot/sessions';
import { normalizeAccountId } from '@openbot/sessions/key';
import type { BotConfig, ChannelAccountSettings, TopicSettings } from './bot-config.ts';
import { groupsOfGuilds } from './guilds.ts';

/** What holds for an account of a channel: its own settings, each in the place of that of the channel. */
export function resolveChannelSettings(
  { channels }: Pick<BotConfig, 'channels'>,
  { channel, accountId }: { readonly channel: string; readonly accountId?: string },
): ChannelAccountSettings {
  const { accounts = {}, ...shared } = pick(channels ?? {}, readWord(channel), readWord) ?? {};
  const settings = { ...shared, ...pick(accounts, normalizeAccountId(accountId), normalizeAccountId) };
  const { guilds } = settings as { guilds?: unknown };
  return guilds === undefined
    ? settings
    : { ...settings, groups: { ...groupsOfGuilds(guilds), ...settings.groups } };
}

/** Whether all who write direct messages to an agent talk in one session. */
export function sharesSession({ session }: Pick<BotConfig, 'session'>): boolean {
  return (session?.dmScope ?? 'main') === 'main';
}

/** What people on the account see while an agent writes. OpenClaw's `progress` and its old `true` are not known here. */
export function resolveStreaming({ streaming }: ChannelAccountSettings): 'off' | 'partial' | 'block' {
  const mode = typeof streaming === 'object' ? streaming.mode : streaming;
  return mode === 'partial' || mode === 'block' ? mode : 'off';
}

/** What is set for the group or topic of a message, or for `*`. Undefined for one that is not among the groups. */
export function resolveGroupSettings(
  groups: ChannelAccountSettings['groups'],
  ctx: MsgContext,
): TopicSettings | undefined {
  if (groups === undefined) return undefined;
  const id = resolveGroupSessionKey(ctx)?.id ?? '';
  const [, groupId = '', ownTopic] = /^(.*?)(?::topic:(.*))?$/s.exec(id) ?? [];
  const ids = [id, groupId, ctx.GroupSpace ?? ''];
  const named = ids.flatMap((one) => (one === '' || one === '*' ? [] : [findOwn(groups, one)]));
  const group = named.find((one) => one !== undefined) ?? groups['*'];
  if (group === undefined) return undefined;
  const { topics = {}, ...own } = group;
  const topic = String(ownTopic ?? ctx.MessageThreadId ?? '');
  const requireMention = own.requireMention ?? groups['*']?.requireMention;
  const ofTopic = topic === '' ? undefined : (findOwn(topics, topic) ?? topics['*']);
  return { ...own, ...(requireMention !== undefined && { requireMention }), ...ofTopic };
}

/** Ids come from the network: `constructor` is one that is not set. */
function findOwn<T>(byName: Readonly<Record<string, T | undefined>>, wanted: string): T | undefined {
  return Object.hasOwn(byName, wanted) ? byName[wanted] : undefined;
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

import type { ChannelAccountSettings, GroupSettings } from './bot-config.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * OpenClaw's `guilds` as groups: servers, and the channels in them. What has no counterpart here is closed rather than
 * left open: names in the place of ids, and members who are let in by a role.
 */
export function groupsOfGuilds(guilds: unknown): NonNullable<ChannelAccountSettings['groups']> {
  const groups: Record<string, GroupSettings> = {};
  const servers = Object.entries(readFields(guilds));
  for (const [id, raw] of servers) {
    const server = readFields(raw);
    const { channels } = server;
    const listed = channels === undefined ? [['*', {}] as const] : Object.entries(readFields(channels));
    for (const [channel, own] of listed)
      if (isId(channel)) groups[channel] = readPlace(server, readFields(own));
    const others = listed.find(([channel]) => channel === '*');
    groups[id] =
      others === undefined || hasNames(listed)
        ? { enabled: false }
        : readPlace(server, readFields(others[1]));
  }
  if (hasNames(servers)) delete groups['*'];
  return groups;
}

/** Settings of a channel, each in the place of that of its server. */
function readPlace(server: Fields, channel: Fields): GroupSettings {
  const { requireMention, users, roles } = { ...server, ...channel };
  const isOff = [server, channel].some(({ enabled, allow }) => enabled === false || allow === false);
  const people = Array.isArray(users) ? users.filter(isPerson) : [];
  const isOpen = isEmpty(users) && isEmpty(roles);
  return {
    ...(isOff && { enabled: false }),
    ...(typeof requireMention === 'boolean' && { requireMention }),
    allowFrom: isOpen ? ['*'] : people,
  };
}

function hasNames(entries: readonly (readonly [string, unknown])[]): boolean {
  return entries.some(([name]) => name !== '*' && !isId(name));
}

function isId(name: string): boolean {
  return /^\d+$/.test(name);
}

function isEmpty(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.length === 0);
}

function isPerson(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function readFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

import { isEntryOf, readEntryId } from '@openbot/sessions/key';
import { isEverybody } from '@openbot/sessions/policy';
import { readPairing } from '../../access/pairing-file.ts';
import { findNormalizeId } from '../../channels/spellings.ts';
import type { BotConfig, TopicSettings } from '../../config/bot-config.ts';
import { lookIntoSenders } from '../../kept-messages/look-into-messages.ts';
import type { Check, Finding, Place } from '../contract.ts';

/** An id in the configuration. */
interface Entry {
  /** `channels.webhook.allowFrom` */
  readonly path: string;
  /** Absent: the entry may name it. */
  readonly channel?: string;
  readonly id: string;
  readonly isTopic?: true;
}

/** A person, a group, or a topic of one, in which somebody wrote once. */
interface Known {
  readonly channel: string;
  readonly id: string;
  readonly isTopic?: true;
}

export const senders: Check = {
  name: 'senders',
  about: 'Ids of the configuration that mean nobody, because case and spaces count',
  needs: 'config',
  look(place) {
    const known = listKnown(place);
    return listEntries(place.config ?? {}).flatMap((entry) => judge(entry, known));
  },
};

function judge(entry: Entry, everyone: readonly Known[]): readonly Finding[] {
  const known = everyone.filter(({ isTopic }) => isTopic === entry.isTopic);
  if (isEverybody(entry.id) || entry.id.trim() === '' || known.some((one) => means(entry, one))) return [];
  const near = known.find((one) => mayMean(entry, one));
  const wanted = near === undefined ? withoutSpaces(entry.id) : writeFor(entry, near);
  if (wanted === entry.id) return [];
  const [has, id] = [entry.id, near?.id ?? wanted].map((text) => JSON.stringify(text));
  const person = near === undefined ? id : `${id} of ${near.channel}`;
  return [
    {
      severity: 'warning',
      what: `${entry.path} has ${has}, which does not mean ${person}: ids are compared letter for letter, with case and spaces`,
      remedy: `If that is who you mean, write ${JSON.stringify(wanted)} there, in the file that openbot config path names`,
    },
  ];
}

function means({ channel, id }: Entry, one: Known): boolean {
  if (channel !== undefined && channel !== one.channel) return false;
  return isEntryOf(id, { channels: [one.channel], ids: [one.id], normalizeId: findNormalizeId(one.channel) });
}

/** Whether they differ only in what was once left out of the comparison. */
function mayMean({ channel, id }: Entry, one: Known): boolean {
  if (channel !== undefined && channel !== one.channel) return false;
  return loosen(id, one.channel) === loosen(one.id, one.channel);
}

function loosen(id: string, channel: string): string {
  const text = id.trim().toLowerCase();
  return text.startsWith(`${channel}:`) ? text.slice(channel.length + 1).trim() : text;
}

/** The channel stays in front where it is, and is needed where the id begins as one. */
function writeFor({ id }: Entry, one: Known): string {
  const named = `${one.channel}:${one.id}`;
  const isNamed = id.trim().toLowerCase().startsWith(`${one.channel}:`);
  return isNamed || readEntryId(one.id, [one.channel]) !== one.id ? named : one.id;
}

function withoutSpaces(id: string): string {
  return id.trim().replace(/^([a-z-]+)\s*:\s+/i, '$1:');
}

/** Those who were approved or asked for it, those whose sessions are kept, and those whose messages are. */
function listKnown({ stateDir, folder }: Place): readonly Known[] {
  const keepers = (folder?.agentIds ?? []).map((agentId) => folder!.open(agentId));
  const inSessions = keepers.flatMap((keeper) => {
    try {
      return keeper.list().flatMap(({ entry }) => readOrigin(entry.origin));
    } catch {
      // The check of stores says so.
      return [];
    }
  });
  const written = [...inSessions, ...listWriters(stateDir)];
  try {
    const { approved, requests } = readPairing(stateDir);
    return [...approved, ...requests, ...written];
  } catch {
    return written;
  }
}

function listWriters(stateDir: string): readonly Known[] {
  try {
    return lookIntoSenders(stateDir).flatMap(({ channel, senderId, from, threadId }) => [
      ...(senderId === undefined ? [] : [{ channel, id: senderId }]),
      ...readOrigin({ provider: channel, from }),
      ...(threadId === undefined ? [] : [{ channel, id: threadId, isTopic: true as const }]),
    ]);
  } catch {
    // The check of the database says so.
    return [];
  }
}

function readOrigin(origin: unknown): readonly Known[] {
  const { provider: channel, from: name, exactFrom } = (origin ?? {}) as Record<string, unknown>;
  const from = exactFrom ?? name;
  if (typeof channel !== 'string' || typeof from !== 'string') return [];
  const id = from.startsWith(`${channel}:`) ? from.slice(channel.length + 1) : from;
  return [{ channel, id: id.replace(/^(?:group|channel):/, '').replace(/:topic:.*$/, '') }];
}

function listEntries({ channels = {}, commands, session, bindings = [] }: BotConfig): readonly Entry[] {
  return [
    ...Object.entries(channels).flatMap(([name, settings]) => {
      const channel = name.trim().toLowerCase();
      const accounts = Object.entries(settings?.accounts ?? {});
      return [
        ...ofAccount(`channels.${name}`, channel, settings),
        ...accounts.flatMap(([id, own]) => ofAccount(`channels.${name}.accounts.${id}`, channel, own)),
      ];
    }),
    ...ofList('commands.ownerAllowFrom', undefined, commands?.ownerAllowFrom),
    ...Object.entries(session?.identityLinks ?? {}).flatMap(([name, ids]) =>
      ofList(`session.identityLinks.${name}`, undefined, ids),
    ),
    ...bindings.flatMap(({ match: { channel, peer, group } }, at) =>
      ofList(`bindings[${at}].match`, channel, [peer?.id ?? group ?? '']),
    ),
  ];
}

function ofAccount(
  path: string,
  channel: string,
  settings: NonNullable<BotConfig['channels']>[string],
): readonly Entry[] {
  const { allowFrom, groupAllowFrom, groups = {} } = settings ?? {};
  return [
    ...ofList(`${path}.allowFrom`, channel, allowFrom),
    ...ofList(`${path}.groupAllowFrom`, channel, groupAllowFrom),
    ...ofList(`${path}.groups`, channel, Object.keys(groups)),
    ...Object.entries(groups).flatMap(([id, group]) => ofGroup(`${path}.groups.${id}`, channel, group)),
  ];
}

function ofGroup(
  path: string,
  channel: string,
  group:
    | (TopicSettings & { readonly topics?: Readonly<Record<string, TopicSettings | undefined>> })
    | undefined,
): readonly Entry[] {
  const topics = Object.entries(group?.topics ?? {});
  return [
    ...ofList(`${path}.allowFrom`, channel, group?.allowFrom),
    ...topics.map(([id]) => ({ path: `${path}.topics`, channel, id, isTopic: true as const })),
    ...topics.flatMap(([id, topic]) => ofList(`${path}.topics.${id}.allowFrom`, channel, topic?.allowFrom)),
  ];
}

function ofList(
  path: string,
  channel: string | undefined,
  ids: readonly (string | number)[] = [],
): readonly Entry[] {
  return ids.map((id) => ({ path, channel, id: String(id) }));
}

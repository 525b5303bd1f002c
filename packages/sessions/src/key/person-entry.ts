import { isChannelName } from './channel-names.ts';

/** Gives one spelling to all ids that a network itself takes for one person. */
export type NormalizeId = (id: string) => string;

/** A person as a network reports them. */
export interface ReportedPerson {
  /** Names of the channel, in lower case. */
  readonly channels: readonly string[];
  readonly ids: readonly string[];
  /** Left out: ids are compared as they are. */
  readonly normalizeId?: NormalizeId;
}

/**
 * Whether an entry of the configuration means this person. `telegram:42` names its channel, and means nobody of another one;
 * of `crm:42` all is the id. Ids are compared letter for letter, except for spellings that the network treats as equal.
 */
export function isEntryOf(entry: unknown, person: ReportedPerson): boolean {
  const { normalizeId = asItIs } = person;
  const id = readEntryId(entry, person.channels);
  return id !== undefined && person.ids.some((one) => normalizeId(one) === normalizeId(id));
}

/** The id in an entry. Undefined for none, and for one of another channel. */
export function readEntryId(entry: unknown, channels: readonly string[]): string | undefined {
  const text = readReportedId(entry);
  if (text === undefined) return undefined;
  const end = text.indexOf(':');
  const named = end < 0 ? '' : readChannelWord(text.slice(0, end));
  if (channels.includes(named)) return text.slice(end + 1) || undefined;
  return channels.length > 0 && isChannelName(named) ? undefined : text;
}

/** An id as it is. Some channels report numbers. */
export function readReportedId(value: unknown): string | undefined {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A channel's name as people write it. */
export function readChannelWord(word: unknown): string {
  const name = typeof word === 'string' ? word.trim().toLowerCase() : '';
  return name === 'tg' ? 'telegram' : name;
}

/** Who wrote from an address that a channel made: `telegram:42`. */
export function readAddressId(address: unknown, channels: readonly string[]): string | undefined {
  const text = readReportedId(address);
  const prefix = channels.find((channel) => text?.startsWith(`${channel}:`));
  return (prefix === undefined ? text : text?.slice(prefix.length + 1)) || undefined;
}

function asItIs(id: string): string {
  return id;
}

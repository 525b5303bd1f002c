import { isGroupMessage } from '../key/group.ts';
import {
  isEntryOf,
  type NormalizeId,
  readAddressId,
  readChannelWord,
  readEntryId,
  readReportedId,
} from '../key/person-entry.ts';
import type { MsgContext } from '../message/msg-context.ts';

export type SenderContext = Pick<
  MsgContext,
  | 'From'
  | 'ChatType'
  | 'Provider'
  | 'Surface'
  | 'OriginatingChannel'
  | 'SenderId'
  | 'SenderE164'
  | 'SenderUsername'
  | 'SenderTag'
  | 'CommandAuthorized'
>;

/**
 * Whether a sender may give commands, such as a reset. An adapter's refusal is final. Otherwise a list that holds `*` or the
 * sender authorises; without a list the adapter's own permission is needed. Entries are ids, phone numbers, `@names` or
 * tags, with or without the channel in front (`telegram:42`). An entry with another channel in front is about nobody
 * here. What the adapter reports is compared as it is, in its case and with its spaces; `normalizeId` says what the
 * network takes for one. A display name never counts, and an entry of digits only ever means an id, since a person
 * can call themselves anything.
 */
export function isAuthorizedSender(params: {
  ctx: SenderContext;
  allowFrom?: readonly (string | number)[] | null;
  normalizeId?: NormalizeId;
}): boolean {
  const { ctx, normalizeId } = params;
  if (ctx.CommandAuthorized === false) return false;
  const allowFrom = Array.isArray(params.allowFrom) ? params.allowFrom : [];
  const entries = allowFrom.filter((entry) => readReportedId(entry)?.trim());
  if (entries.length === 0) return ctx.CommandAuthorized === true;
  if (entries.some(isEverybody)) return true;

  const channels = [ctx.Provider, ctx.Surface, ctx.OriginatingChannel].map(readChannelWord).filter(Boolean);
  const ids = listSenderIds(ctx, channels);
  const names = [ctx.SenderUsername, ctx.SenderTag].flatMap((name) => readReportedId(name) ?? []);
  return entries.some(
    (entry) =>
      isEntryOf(entry, { channels, ids, normalizeId }) || isNamed(readEntryId(entry, channels), names),
  );
}

/** `*` in a list of people. */
export function isEverybody(entry: unknown): boolean {
  return typeof entry === 'string' && entry.trim() === '*';
}

/** What the network calls the sender: ids, or else the address that a direct message came from. */
function listSenderIds(ctx: SenderContext, channels: readonly string[]): readonly string[] {
  const ids = [ctx.SenderId, ctx.SenderE164].flatMap((id) => readReportedId(id) ?? []);
  if (ids.length > 0 || isGroupMessage(ctx)) return ids;
  return [readAddressId(ctx.From, channels)].filter((id) => id !== undefined);
}

/** Names are written with or without the `@` of lists. What consists of digits can only be an id. */
function isNamed(entry: string | undefined, names: readonly string[]): boolean {
  if (entry === undefined || /^@?[+-]?[\d\s().-]*$/.test(entry)) return false;
  return names.some((name) => entry === name || entry === `@${name}`);
}

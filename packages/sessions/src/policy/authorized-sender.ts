import { isChannelName } from '../key/channel-names.ts';
import { isGroupMessage } from '../key/group.ts';
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
 * here, also where an id of this channel is spelled the same. A display name never counts, and an entry of digits
 * only ever means an id or a phone number, since a person can call themselves anything. One that begins with `+` is a
 * phone number: another person may have its digits as an id.
 */
export function isAuthorizedSender(params: {
  ctx: SenderContext;
  allowFrom?: readonly (string | number)[] | null;
}): boolean {
  const { ctx } = params;
  if (ctx.CommandAuthorized === false) return false;
  const allowFrom = Array.isArray(params.allowFrom) ? params.allowFrom : [];
  const entries = allowFrom.map(readToken).filter((entry) => entry !== '');
  if (entries.length === 0) return ctx.CommandAuthorized === true;
  if (entries.includes('*')) return true;

  const channels = [ctx.Provider, ctx.Surface, ctx.OriginatingChannel]
    .map((channel) => nameChannel(readToken(channel)))
    .filter((channel) => channel !== '');
  const isOfAnother = (entry: string) => {
    const named = readPrefix(entry);
    return channels.length > 0 && isChannelName(named) && !channels.includes(named);
  };
  const strip = (text: string) => stripChannel(text, channels);
  const ids = [ctx.SenderId, ctx.SenderE164, isGroupMessage(ctx) ? undefined : ctx.From];
  const idTokens = new Set(ids.map((id) => strip(readToken(id))));
  idTokens.delete('');
  const phoneTokens = new Set([...idTokens].flatMap(readPhone));
  const ownPhone = strip(readToken(ctx.SenderE164)).replace(/\D/g, '');
  if (ownPhone !== '') phoneTokens.add(`+${ownPhone}`);
  const nameTokens = new Set([ctx.SenderUsername, ctx.SenderTag].map((name) => stripAt(readToken(name))));
  nameTokens.delete('');

  const here = entries.filter((entry) => !isOfAnother(entry));
  return here.map(strip).some((entry) => {
    if (entry.startsWith('@')) return nameTokens.has(stripAt(entry)) || idTokens.has(entry);
    const phones = /^\d+$/.test(entry) ? [`+${entry}`] : readPhone(entry);
    if (idTokens.has(entry) || phones.some((phone) => phoneTokens.has(phone))) return true;
    return !/^[+-]?[\d\s().-]+$/.test(entry) && nameTokens.has(entry);
  });
}

function readToken(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' ? value.trim().toLowerCase() : '';
}

function stripAt(name: string): string {
  return name.replace(/^@/, '');
}

function stripChannel(text: string, channels: readonly string[]): string {
  return channels.includes(readPrefix(text)) ? text.slice(text.indexOf(':') + 1).trim() : text;
}

/** What stands before the first colon, which may be part of an id: `crm:42`. */
function readPrefix(text: string): string {
  const end = text.indexOf(':');
  return end < 0 ? '' : nameChannel(text.slice(0, end).trim());
}

function nameChannel(word: string): string {
  return word === 'tg' ? 'telegram' : word;
}

/** A phone number as `+` and digits. */
function readPhone(id: string): string[] {
  const [, account] = /^(\d+)(?::\d+)?@s\.whatsapp\.net$/.exec(id) ?? [];
  if (account !== undefined) return [`+${account}`];
  return /^\+[\d\s().-]*\d$/.test(id) ? [`+${id.replace(/\D/g, '')}`] : [];
}

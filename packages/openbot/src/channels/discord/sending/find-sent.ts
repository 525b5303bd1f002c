import { markPart, REPEAT_MARK } from '../../text/mark-repeat.ts';
import type { DiscordApi } from '../discord-api.ts';
import {
  readList,
  readObject,
  readText,
  readWireMessage,
  type WireMessage,
} from '../receiving/wire-message.ts';
import { byAge, idAt, isId, isNewer } from '../snowflake.ts';
import type { FirstTry } from './first-tries.ts';
import { TEXT_LIMIT } from './reply-parts.ts';

/** For how long a nonce is surely remembered by Discord, which says “a few minutes”. */
export const NONCE_MS = 60_000;
/** What this clock and that of Discord may differ by. */
const CLOCK_MS = 60_000;
const PAGE = 100;
const MOST_PAGES = 5;

export interface SentSearch {
  readonly channelId: string;
  readonly text: string;
  readonly fileCount: number;
  readonly tried: FirstTry;
  /** The part before it. */
  readonly behind?: string;
  readonly signal: AbortSignal;
}

/**
 * The message that an earlier try has left in the chat, or that it left none. The API gives no nonces back. Undecided where
 * more was said since than is read.
 */
export async function findSent(
  api: DiscordApi,
  search: SentSearch,
): Promise<{ readonly id: string } | 'absent' | 'undecided'> {
  const { channelId, text, fileCount, tried, behind, signal } = search;
  const self = await api.self();
  let after = newestOf(idAt(tried.at - CLOCK_MS), tried.after, behind);
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { after, limit: String(PAGE) };
    const raw = readList(await api.call('GET', `/channels/${channelId}/messages`, { query, signal }));
    const messages = raw.flatMap((one) => readWireMessage(one) ?? []).sort(byAge);
    const sent = messages.find((one) => one.author.id === self.id && isShown(one, { text, fileCount }));
    if (sent !== undefined) return { id: sent.id };
    const newest = raw.map((one) => readObject(one).id).filter(isId);
    if (raw.length < PAGE) return 'absent';
    after = newestOf(after, ...newest);
  }
  return 'undecided';
}

/** What people read in the place of a file. */
export function noteOf(what: string): string {
  return `[${what.replace(/\s+/g, ' ')}]`;
}

/** Whether a message is this part. Which of its files were left out is known of the message alone: they have notes. */
function isShown(
  { text: shown, files }: WireMessage,
  { text, fileCount }: Pick<SentSearch, 'text' | 'fileCount'>,
): boolean {
  return [text, markPart(REPEAT_MARK, text)].some((one) => {
    const words = readText(one).trim();
    const notes = shown.slice(words.length).split('\n').filter(Boolean);
    if (!shown.startsWith(words) || !notes.every((note) => note.startsWith('['))) return false;
    // What is too long for a message was cut, and notes with it.
    const isCut = shown.length === TEXT_LIMIT;
    return files.length + notes.length === fileCount || (isCut && files.length + notes.length < fileCount);
  });
}

/** The same for a post of a forum, which has a title. */
export async function findPost(
  api: DiscordApi,
  {
    guildId,
    forumId,
    title,
    tried,
    signal,
  }: {
    readonly guildId: string;
    readonly forumId: string;
    readonly title: string;
    readonly tried: FirstTry;
    readonly signal: AbortSignal;
  },
): Promise<string | undefined> {
  const self = await api.self();
  const { threads } = readObject(await api.call('GET', `/guilds/${guildId}/threads/active`, { signal }));
  const after = idAt(tried.at - CLOCK_MS);
  const found = readList(threads)
    .map(readObject)
    .find(
      ({ id, parent_id, owner_id, name }) =>
        isId(id) && isNewer(id, after) && parent_id === forumId && owner_id === self.id && name === title,
    );
  return isId(found?.id) ? found.id : undefined;
}

function newestOf(first: string, ...others: readonly (string | undefined)[]): string {
  return others.reduce<string>((a, b) => (b !== undefined && isNewer(b, a) ? b : a), first);
}

import type { Gap } from '../connection/stream-place.ts';
import type { DiscordApi } from '../discord-api.ts';
import { isRefusal } from '../sending/send-errors.ts';
import { byAge, isId, isNewer } from '../snowflake.ts';
import type { ChannelBook } from './channel-book.ts';
import { readList, readObject } from './wire-message.ts';

export interface GapParts {
  readonly api: DiscordApi;
  readonly book: ChannelBook;
  /** Takes a message as if the gateway had told it. */
  take(raw: unknown): Promise<void>;
  report(message: string): void;
  readonly signal: AbortSignal;
}

const PAGE = 100;
const MOST_PAGES = 5;
const MOST_CHANNELS = 200;
const MOST_GUILDS = 50;

interface Candidate {
  readonly id: string;
  readonly after: string;
  readonly guildId?: string;
  /** Something was heard there before. */
  readonly isKnown: boolean;
}

/**
 * Reads what was said while there was no session: in all channels and threads of the guilds that have something newer,
 * and in direct chats that were heard before. A direct chat that began meanwhile cannot be found. Rejects when Discord
 * cannot be asked; then it is to be read again.
 */
export async function readGap(gap: Gap, parts: GapParts): Promise<void> {
  const { report } = parts;
  const inGuilds = await listGuildChannels(gap, parts);
  // Direct chats, and threads that were closed since.
  const others = Object.entries(gap.channels)
    .filter(([id]) => !inGuilds.seen.has(id))
    .map(([id, after]) => ({ id, after, isKnown: true }));
  const all = [...others, ...inGuilds.candidates].sort((a, b) => byAge({ id: b.after }, { id: a.after }));
  if (all.length > MOST_CHANNELS) {
    report(
      `Discord: the connection was lost for long. ${MOST_CHANNELS} channels were read again; ${all.length - MOST_CHANNELS} were not.`,
    );
  }
  for (const candidate of all.slice(0, MOST_CHANNELS)) {
    parts.signal.throwIfAborted();
    await readChannel(candidate, parts);
  }
}

async function listGuildChannels(gap: Gap, { api, book, report, signal }: GapParts) {
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  const guilds = readList(await api.patiently('GET', '/users/@me/guilds', { signal }))
    .map((guild) => readObject(guild).id)
    .filter(isId);
  if (guilds.length > MOST_GUILDS) report(`Discord: only ${MOST_GUILDS} servers were read again.`);
  for (const guildId of guilds.slice(0, MOST_GUILDS)) {
    let all: readonly unknown[];
    try {
      const channels = readList(await api.patiently('GET', `/guilds/${guildId}/channels`, { signal }));
      const active = readObject(await api.patiently('GET', `/guilds/${guildId}/threads/active`, { signal }));
      all = [...channels, ...readList(active.threads)];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Another try would get the same answer. Channels that were heard before are read one by one.
      report(`Discord: the channels of server ${guildId} cannot be listed: ${error.message}`);
      continue;
    }
    book.learnAll(all, guildId);
    for (const raw of all) {
      const { id, last_message_id } = readObject(raw);
      if (!isId(id)) continue;
      seen.add(id);
      const known = gap.channels[id];
      const after = known ?? gap.after;
      if (!isId(last_message_id) || !isNewer(last_message_id, after)) continue;
      candidates.push({ id, after, guildId, isKnown: known !== undefined });
    }
  }
  return { seen, candidates };
}

async function readChannel({ id, after, isKnown, ...rest }: Candidate, parts: GapParts): Promise<void> {
  const { api, book, take, report, signal } = parts;
  const guildId = rest.guildId ?? (await book.guildOf(id));
  let last = after;
  for (let page = 0; page < MOST_PAGES; page++) {
    let answer: unknown;
    try {
      const query = { after: last, limit: String(PAGE) };
      answer = await api.patiently('GET', `/channels/${id}/messages`, { query, signal });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Many channels of a guild are not for the bot; one that was has been closed to it.
      if (isKnown)
        report(`Discord: what was said in channel ${id} meanwhile cannot be read: ${error.message}`);
      return;
    }
    const messages = readList(answer)
      .map(readObject)
      .flatMap((message) => (isId(message.id) ? [{ id: message.id, message }] : []))
      .sort(byAge);
    for (const { message } of messages) {
      signal.throwIfAborted();
      // The API does not say in which guild a message was written.
      await take({ ...message, ...(guildId !== undefined && { guild_id: guildId }) });
    }
    last = messages.at(-1)?.id ?? last;
    if (messages.length < PAGE) return;
  }
  report(
    `Discord: more than ${MOST_PAGES * PAGE} messages were missed in channel ${id}; the rest was not read.`,
  );
}

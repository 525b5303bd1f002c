import type { BotDatabase } from '../database/bot-database.ts';

/** Small texts that the adapters of chat networks keep, such as the place in a stream of events. */
export interface ChannelNotesStore {
  read(account: NotesAccount, name: string): Promise<string | undefined>;
  /** Durable when it resolves. Undefined removes it. */
  write(account: NotesAccount, name: string, text: string | undefined): Promise<void>;
}

export interface NotesAccount {
  readonly channel: string;
  readonly accountId: string;
}

export function openSqliteNotes({ prepare, read, write }: BotDatabase): ChannelNotesStore {
  const sql = {
    read: prepare('SELECT text FROM note WHERE channel = ? AND account_id = ? AND name = ?'),
    write: prepare('INSERT OR REPLACE INTO note (channel, account_id, name, text) VALUES (?, ?, ?, ?)'),
    remove: prepare('DELETE FROM note WHERE channel = ? AND account_id = ? AND name = ?'),
  };
  return {
    read: ({ channel, accountId }, name) =>
      read(() => sql.read.get(channel, accountId, name)?.text as string | undefined),
    write: ({ channel, accountId }, name, text) =>
      write(() => {
        if (text === undefined) sql.remove.run(channel, accountId, name);
        else sql.write.run(channel, accountId, name, text);
      }),
  };
}

/** For tests, and for runs that keep nothing. */
export function openMemoryNotes(): ChannelNotesStore {
  const notes = new Map<string, string>();
  const keyOf = ({ channel, accountId }: NotesAccount, name: string) =>
    JSON.stringify([channel, accountId, name]);
  return {
    read: async (account, name) => notes.get(keyOf(account, name)),
    write: async (account, name, text) => {
      if (text === undefined) notes.delete(keyOf(account, name));
      else notes.set(keyOf(account, name), text);
    },
  };
}

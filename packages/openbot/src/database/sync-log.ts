import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

const sync = promisify(fdatasync);

/**
 * Syncs the write-ahead log of a database, which SQLite does inside of the commit otherwise: there it stops all else that the
 * process does. The log stays the same file while a connection is open, and carries no locks that a second descriptor of the
 * process could drop.
 */
export class LogSync {
  readonly #path: string;
  #fd: number | undefined;

  /** @param databasePath may be a link: SQLite keeps the log beside the file itself */
  constructor(databasePath: string) {
    this.#path = `${realpathSync.native(databasePath)}-wal`;
  }

  async sync(): Promise<void> {
    this.#fd ??= openSync(this.#path, 'r+');
    await sync(this.#fd);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

import type { DatabaseSync } from 'node:sqlite';
import { Listeners } from '../listeners.ts';

const LOOK_EVERY_MS = 50;

/** SQLite counts the commits of other connections; asking costs some microseconds. Does not keep the process alive. */
export function watchOthers(db: DatabaseSync): Listeners {
  const version = db.prepare('PRAGMA data_version');
  let known: unknown;
  const read = () => {
    try {
      return version.get()?.data_version;
    } catch {
      // Another process repairs the database after a crash; it is asked again soon.
      return known;
    }
  };
  const listeners = new Listeners('of the message database', () => {
    known = read();
    const timer = setInterval(() => {
      const now = read();
      if (now === known) return;
      known = now;
      listeners.call();
    }, LOOK_EVERY_MS).unref();
    return () => clearInterval(timer);
  });
  return listeners;
}

import type { IndexDatabase } from '../index-db/index-database.ts';

interface Asked {
  readonly work: () => unknown;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/**
 * The same index for callers that work side by side: what they ask for until the event loop comes round shares one transaction. A
 * commit takes longer than the lines of a turn. Where one fails, all of them do.
 */
export function shareTransactions(database: IndexDatabase): IndexDatabase {
  return { ...database, read: share(database.read), write: share(database.write) };
}

function share(run: IndexDatabase['write']): IndexDatabase['write'] {
  let waiting: Asked[] = [];
  const begin = () => {
    const group = waiting;
    waiting = [];
    run(() => group.map(({ work }) => work())).then(
      (results) => {
        for (const [at, { resolve }] of group.entries()) resolve(results[at]);
      },
      (error: unknown) => {
        for (const { reject } of group) reject(error);
      },
    );
  };
  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Asked['resolve'], reject });
      if (waiting.length === 1) setImmediate(begin);
    });
}

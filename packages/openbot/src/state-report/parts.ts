import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspectLock } from '@openbot/sessions/disk';
import { readDatabaseQuietly } from '@openbot/sessions/openclaw-database';
import { listChannelAccounts } from '../channels/accounts.ts';
import { findKind } from '../channels/all.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { INDEX_NAME } from '../index-db/index-database.ts';
import { VERSION } from '../index-db/schema.ts';
import type { ChannelStatus, IndexStatus, RunStatus } from './contract.ts';

/** The runs in progress, of any process. */
export function findRuns(stateDir: string): RunStatus[] {
  return readNames(join(stateDir, 'run-locks'))
    .filter((name) => name.endsWith('.lock'))
    .flatMap((name) => {
      const lock = inspectLock(join(stateDir, 'run-locks', name));
      if (!lock?.held) return [];
      const since = Date.parse(lock.holder.createdAt ?? '');
      return [{ process: lock.who, since: Number.isNaN(since) ? undefined : since }];
    });
}

export function describeChannels(config: BotConfig): ChannelStatus[] {
  const byChannel = Map.groupBy(listChannelAccounts(config), ({ channel }) => channel);
  return [...byChannel].map(([name, accounts]) => ({
    name,
    enabled: accounts.some(({ isEnabled }) => isEnabled),
    accounts: accounts.map(({ accountId }) => accountId),
    hasDriver: hasDriver(name),
  }));
}

/** Whether this version can speak on a channel. */
export function hasDriver(channel: string): boolean {
  return findKind(channel) !== undefined;
}

/** Undefined where there is none. */
export function describeIndex(stateDir: string): IndexStatus | undefined {
  const path = join(stateDir, INDEX_NAME);
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (sizeBytes === undefined) return undefined;
  return readDatabaseQuietly(path, (db) => {
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
    const isCurrent = version === VERSION;
    // Sessions of other programs that were searched are in it too.
    const ours = `(SELECT id FROM files WHERE root = ? AND kind = 'transcript')`;
    const count = (rows: string) =>
      isCurrent
        ? Number(db.prepare(`SELECT count(*) AS count FROM ${rows} IN ${ours}`).get(stateDir)?.count)
        : undefined;
    const sessions = count('sessions WHERE id');
    return { path, sizeBytes, version, isCurrent, sessions, messages: count('messages WHERE session') };
  });
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

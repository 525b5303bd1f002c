import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeAgentDatabase } from '../../../sessions/test/openclaw-db/setup/make-database.ts';
import { FIXTURES, header } from './home.ts';

export interface SessionInDatabase {
  readonly sessionId: string;
  readonly key: string;
  /** In seconds since 2026: when it was last written. */
  readonly age?: number;
  /** Behind the header, each with or without its end. False: no lines at all. */
  readonly lines?: readonly string[] | false;
  readonly entry?: Record<string, unknown>;
  /** Of the header. */
  readonly cwd?: string;
  /** Stores every line compressed. */
  readonly compressed?: boolean;
}

export function databasePath(home: string, agentId = 'main', state = '.openclaw'): string {
  return join(home, state, 'agents', agentId, 'agent', 'openclaw-agent.sqlite');
}

/** The database of an agent. Of several sessions with one key the last is the current one. */
export function putDatabase(
  home: string,
  sessions: readonly SessionInDatabase[],
  agentId = 'main',
  path = databasePath(home, agentId),
): string {
  makeAgentDatabase(path, {
    agentId,
    sessions: sessions.map(({ sessionId, key, age = 0, lines = [], entry = {}, cwd, compressed }) => ({
      key,
      sessionId,
      entry,
      createdAt: Date.UTC(2026, 0, 1) + age * 1000,
      events: lines === false ? [] : [header(sessionId, cwd), ...lines].map((line) => line.trimEnd()),
      compress: () => compressed ?? false,
    })),
  });
  return path;
}

/** The database that OpenClaw wrote. */
export function copyDatabase(home: string, agentId = 'main'): string {
  const path = databasePath(home, agentId);
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(FIXTURES, 'openclaw-sqlite/openclaw-agent.sqlite'), path);
  return path;
}

export function changeDatabase(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** What the entry of a session says of its run, on disk. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath, readStoredSession } from './agent-database.ts';
import type { Stage } from './stage.ts';

export function isRunning({ era, home }: Stage, key: string): boolean {
  return (era === 'sqlite' ? entryInDatabase : entryInFile)(home.state, key)?.status === 'running';
}

type Entry = Readonly<Record<string, unknown>>;

function entryInDatabase(state: string, key: string): Entry | undefined {
  return existsSync(databasePath(state)) ? readStoredSession(state, key)?.entry : undefined;
}

function entryInFile(state: string, key: string): Entry | undefined {
  const path = join(state, 'agents/main/sessions/sessions.json');
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Entry>)[key];
}

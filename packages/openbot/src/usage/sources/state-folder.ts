import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookIntoSessionStore, OpenBotError, type StoredEntry } from '@openbot/sessions';
import { classifySessionFileName, type OpenclawLayout } from '@openbot/sessions/layout';
import type { ReadUnit, SessionNote, UsageScope, UsageSource, UsageUnit } from '../contract.ts';
import { byPath, listFolder, markFile } from '../file-units.ts';
import { readRequests } from '../marked-lines.ts';
import { PI_REQUESTS } from '../rules/pi-request.ts';
import { channelOf } from './session-channel.ts';

/** Separates the path of a database from the session in it. */
const IN_DATABASE = '#';

/**
 * The sessions of all agents in a state folder of this program or of OpenClaw, in files or in OpenClaw's database. What was
 * archived or cleaned away was paid for too; each request counts once, however many copies of its line there are.
 */
export function openStateFolderUsage(layout: OpenclawLayout, { warn }: UsageScope): UsageSource {
  const agentIds = listAgents(layout);
  const databases = agentIds
    .map((agentId) => ({ agentId, path: layout.databasePathOf(agentId) }))
    .filter(({ path }) => existsSync(path));
  return {
    warn,
    places: [layout.stateDir, ...agentIds.map((agentId) => dirname(layout.storePathOf(agentId)))],
    // Claude Code writes what it is asked by an agent to its own files.
    repeats: { source: 'claude', providers: ['claude', 'claude-cli'] },
    hasAgents: true,
    list: async () => {
      const files = agentIds.flatMap((agentId) => [...listFiles(layout, agentId, warn)]);
      const rows = await Promise.all(databases.map((database) => listRows(database, warn)));
      return [...files, ...rows.flat()].sort(byPath);
    },
    read: async (unit, known) => (isRow(unit) ? readRow(unit) : readRequests(unit, PI_REQUESTS, known)),
    describeSessions: async () => {
      const notes = new Map<string, SessionNote>();
      for (const agentId of agentIds) noteStore(layout.storePathOf(agentId), notes, warn);
      for (const { path } of databases) await noteDatabase(path, notes, warn);
      return notes;
    },
  };
}

function listAgents({ stateDir, agentIds, defaultAgentId }: OpenclawLayout): string[] {
  const there = listFolder(join(stateDir, 'agents'))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  // No folder here shows the default agent, where its sessions are elsewhere.
  const configured = agentIds.length === 0 ? [defaultAgentId] : agentIds;
  return [...new Set([...there, ...configured])].sort();
}

function* listFiles(layout: OpenclawLayout, agentId: string, warn: UsageScope['warn']): Generator<UsageUnit> {
  const sessions = dirname(layout.storePathOf(agentId));
  for (const folder of [sessions, join(sessions, 'backups')]) {
    for (const { name } of listFolder(folder, warn)) {
      const file = classifySessionFileName(name);
      const isLines = /^(?:transcript|topic-transcript|archive|backup)$/.test(file.kind);
      if (!isLines || !('sessionId' in file) || file.sessionId === undefined) continue;
      const path = join(folder, name);
      const marked = markFile(path);
      if (marked !== undefined) yield { id: path, ...marked, sessionId: file.sessionId, agentId };
    }
  }
}

interface AgentDatabase {
  readonly agentId: string;
  readonly path: string;
}

const isRow = (unit: UsageUnit) => unit.id.includes(`.sqlite${IN_DATABASE}`);

async function listRows(
  { agentId, path }: AgentDatabase,
  warn: UsageScope['warn'],
): Promise<readonly UsageUnit[]> {
  const { listDatabaseSessions, readSessionDatabase, readTranscriptVersion } = await loadDatabases();
  const list = () =>
    readSessionDatabase(path, (database) =>
      listDatabaseSessions(database)
        .filter(({ hasTranscript }) => hasTranscript)
        .map(({ sessionId }): UsageUnit => {
          const { generation, lastSeq, updatedAt } = readTranscriptVersion(database, sessionId);
          return {
            id: `${path}${IN_DATABASE}${sessionId}`,
            mark: `${generation} ${lastSeq} ${updatedAt}`,
            // Every change of a row gives it another version.
            changedAt: 0,
            sessionId,
            agentId,
          };
        }),
    );
  return attempt(list, warn) ?? [];
}

async function readRow(unit: UsageUnit): Promise<ReadUnit> {
  const { iterateEventLines, readOpenclawDatabase } = await loadDatabases();
  const path = unit.id.slice(0, unit.id.lastIndexOf(IN_DATABASE));
  const requests = readOpenclawDatabase(path, (database) => {
    const found = [];
    for (const line of iterateEventLines(database, unit.sessionId)) {
      const request = line.includes(PI_REQUESTS.marker)
        ? PI_REQUESTS.read(line.toString(), unit.sessionId)
        : undefined;
      if (request !== undefined) found.push(request);
    }
    return found;
  });
  return { requests };
}

function noteStore(path: string, notes: Map<string, SessionNote>, warn: UsageScope['warn']): void {
  for (const { key, entry } of attempt(() => lookIntoSessionStore(path), warn) ?? []) {
    const { sessionId } = entry as { sessionId?: unknown };
    if (typeof sessionId === 'string') notes.set(sessionId, noteOf(key, entry));
  }
}

async function noteDatabase(
  path: string,
  notes: Map<string, SessionNote>,
  warn: UsageScope['warn'],
): Promise<void> {
  const { lookIntoOpenclawDatabase } = await loadDatabases();
  for (const { sessionId, sessionKey, entry } of attempt(() => lookIntoOpenclawDatabase(path), warn) ?? [])
    notes.set(sessionId, noteOf(sessionKey, entry));
}

function noteOf(sessionKey: string, entry: StoredEntry | undefined): SessionNote {
  const { label } = (entry ?? {}) as { label?: unknown };
  const channel = channelOf(sessionKey, entry);
  return {
    sessionKey,
    ...(typeof label === 'string' && label !== '' && { label }),
    ...(channel !== undefined && { channel }),
  };
}

function attempt<T>(read: () => T, warn: UsageScope['warn']): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    warn?.(error.message);
    return undefined;
  }
}

/** SQLite is loaded only where there is a database. */
const loadDatabases = () => import('@openbot/sessions/openclaw-database');

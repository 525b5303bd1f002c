import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readFileLinesBackwards } from '@openbot/sessions/transcript';
import type { LocatedSession } from 'oc-context-cleaner';
import { listArchives } from '../kept-sessions/files/archives.ts';
import { TURN_MARK, type TurnMark } from '../transcripts/contract.ts';

/**
 * Transcripts of conversations that were reset. They are still what was said, and are searched. Those of deleted sessions
 * are not.
 */
export function locateArchives(stateDir: string, sessions: readonly LocatedSession[]): LocatedSession[] {
  const folders = new Map(listSessionFolders(stateDir));
  for (const { path, storage, agentId } of sessions) {
    if (storage === undefined) folders.set(dirname(path), agentId);
  }
  return [...folders].flatMap(([folder, agentId]) =>
    listArchives(folder)
      // Compressed ones have no lines to follow.
      .filter(({ kind, path }) => kind === 'reset' && !/\.(?:zst|gz)$/.test(path))
      .map(({ path, sessionId, sizeBytes, at = 0 }) => ({
        source: 'openclaw' as const,
        agentId,
        sessionId,
        stem: basename(path).replace(/\.jsonl\.reset\..*$/, ''),
        path,
        updatedAt: at,
        sizeBytes,
        missing: false,
        entries: [],
      })),
  );
}

export function isArchive(path: string): boolean {
  return basename(path).includes('.jsonl.reset.');
}

const SUBAGENTS = 'subagents';

/** What subagents of Claude Code's sessions said, with the id of their session: `<session>/subagents/agent-….jsonl`. */
export function locateSubagents(sessions: readonly LocatedSession[]): LocatedSession[] {
  return sessions.flatMap((session) => {
    const folder = join(session.path.replace(/\.jsonl$/, ''), SUBAGENTS);
    return readNames(folder).flatMap((name) => {
      const path = join(folder, name);
      const stats = name.endsWith('.jsonl') ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (!stats?.isFile()) return [];
      const stem = basename(name, '.jsonl');
      return [{ ...session, stem, path, updatedAt: stats.mtimeMs, sizeBytes: stats.size, entries: [] }];
    });
  });
}

/** No name leads to a session that was reset, nor to a subagent. */
export function isNamedByPath(path: string): boolean {
  return isArchive(path) || basename(dirname(path)) === SUBAGENTS;
}

/** The key of the last turn of a transcript. A fork begins with lines of another conversation. */
export async function readMarkedKey(path: string): Promise<string | undefined> {
  for await (const { bytes } of readFileLinesBackwards(path)) {
    if (!bytes?.includes(TURN_MARK)) continue;
    const { customType, data } = parse(bytes) as { customType?: unknown; data?: Partial<TurnMark> };
    if (customType === TURN_MARK && typeof data?.sessionKey === 'string') return data.sessionKey;
  }
  return undefined;
}

function parse(line: Buffer): object {
  try {
    return Object(JSON.parse(line.toString('utf8')));
  } catch {
    return {};
  }
}

function listSessionFolders(stateDir: string): [string, string | null][] {
  const agents = join(stateDir, 'agents');
  return readNames(agents).map((agentId) => [join(agents, agentId, 'sessions'), agentId]);
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

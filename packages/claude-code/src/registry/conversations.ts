import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assertSessionId, isSessionId } from '@openbot/sessions/layout';
import { resolveRegistryPath } from './registry-file.ts';

const FILE_NAME = 'conversations.txt';

/** Ids that this process has noted, by the path of the list. */
const noted = new Map<string, Set<string>>();

/**
 * Notes that a Claude Code session is the agent's own conversation with a person: no coding run may choose it. Written
 * before the session exists, and never removed: a session that the agent has left is still no coding session.
 */
export function noteConversation(stateDir: string, agentId: string, sessionId: string): void {
  const path = join(dirname(resolveRegistryPath(stateDir, agentId)), FILE_NAME);
  const known = noted.get(path) ?? new Set(readIds(path));
  noted.set(path, known);
  if (known.has(assertSessionId(sessionId))) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // One small write at the end of the file: processes do not mix their lines.
  appendFileSync(path, `${sessionId}\n`, { mode: 0o600, flush: true });
  known.add(sessionId);
}

/** The conversations of all agents. A list that cannot be read counts as empty. */
export function readConversations(stateDir: string): ReadonlySet<string> {
  const folder = dirname(dirname(resolveRegistryPath(stateDir, 'main')));
  return new Set(listNames(folder).flatMap((agent) => readIds(join(folder, agent, FILE_NAME))));
}

function readIds(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(isSessionId);
  } catch {
    return [];
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

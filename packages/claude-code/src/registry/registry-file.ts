import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError, redactSecrets } from '@openbot/sessions';
import { withLock, writeFileAtomic } from '@openbot/sessions/disk';
import { isSessionId, resolveAgentFolderName } from '@openbot/sessions/layout';
import { isProcess } from './is-running.ts';
import type { RegisteredSession } from './registered-session.ts';

const FILE_NAME = 'sessions.json';
const VERSION = 1;

/** The content of a registry file. Unknown fields are kept. */
interface RegistryFile {
  readonly version: number;
  readonly sessions: Readonly<Record<string, RegisteredSession>>;
  /** Its tasks and labels contain no secrets. Files without this field may contain some. */
  readonly hidesSecrets?: true;
}

/** The folder of all registries. */
function resolveRegistryFolder(stateDir: string): string {
  return join(stateDir, 'claude-code');
}

export function resolveRegistryPath(stateDir: string, agentId: string): string {
  return join(resolveRegistryFolder(stateDir), resolveAgentFolderName(agentId), FILE_NAME);
}

/**
 * The sessions that an agent runs or ran, by session id; none without a registry.
 * @throws OpenBotError REGISTRY_UNREADABLE if the file is damaged
 */
export function readRegistry(stateDir: string, agentId: string): Map<string, RegisteredSession> {
  return new Map(Object.entries(readFile(resolveRegistryPath(stateDir, agentId)).sessions));
}

/**
 * The sessions of all agents, in the order of their names.
 * @param onProblem is called for a registry that cannot be read, and the others are read; without it that is thrown
 */
export function readAllRegistries(stateDir: string, onProblem?: (error: Error) => void): RegisteredSession[] {
  const attempt = <T>(read: () => T[]): T[] => {
    if (onProblem === undefined) return read();
    try {
      return read();
    } catch (error) {
      onProblem(error as Error);
      return [];
    }
  };
  return attempt(() => listAgents(stateDir)).flatMap((agentId) =>
    attempt(() => [...readRegistry(stateDir, agentId).values()]),
  );
}

/** Changes the registry of an agent, one process at a time. If `change` throws, the file stays as it was. */
export function updateRegistry<T>(
  stateDir: string,
  agentId: string,
  change: (sessions: Map<string, RegisteredSession>) => T | Promise<T>,
): Promise<T> {
  const path = resolveRegistryPath(stateDir, agentId);
  return withLock(`${path}.lock`, {}, async (lock) => {
    const before = readFile(path);
    const sessions = new Map(Object.entries(before.sessions));
    const result = await change(sessions);
    for (const [id, session] of sessions) assertRegistered(id, session);
    if (before.hidesSecrets !== true)
      for (const [id, session] of sessions) sessions.set(id, hideInTexts(session));
    const after: RegistryFile = {
      ...before,
      version: VERSION,
      hidesSecrets: true,
      sessions: Object.fromEntries(sessions),
    };
    await writeFileAtomic(path, `${JSON.stringify(after, null, 2)}\n`, {
      beforeRename: () => lock.signal.throwIfAborted(),
    });
    return result;
  });
}

/**
 * Asks before anything is spent: a run that is not recorded has no label, and its budget ends with it.
 * @throws OpenBotError REGISTRY_WRITE_FAILED; REGISTRY_UNREADABLE; LOCK_TIMEOUT
 */
export async function assertRecordable(stateDir: string, agentId: string): Promise<void> {
  const path = resolveRegistryPath(stateDir, agentId);
  try {
    await withLock(`${path}.lock`, {}, () => void readFile(path));
  } catch (cause) {
    if (!(cause instanceof OpenBotError) || cause.code !== 'LOCK_FAILED') throw cause;
    throw new OpenBotError(
      'REGISTRY_WRITE_FAILED',
      `The run could not be recorded in ${path}: ${cause.message}`,
      { hint: 'Nothing was started. Correct the folder, or name another state folder.', cause },
    );
  }
}

function hideInTexts(session: RegisteredSession): RegisteredSession {
  const { tasks, label } = session;
  return {
    ...session,
    tasks: tasks.map(redactSecrets),
    ...(label === undefined ? {} : { label: redactSecrets(label) }),
  };
}

function assertRegistered(id: string, session: RegisteredSession): void {
  const fault = findSessionFault(id, session);
  if (fault !== undefined)
    throw new OpenBotError('INVALID_ARGUMENT', `session ${id} cannot be registered: ${fault}`);
}

function listAgents(stateDir: string): string[] {
  const folder = resolveRegistryFolder(stateDir);
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => resolveAgentFolderName(name) === name)
      .sort();
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw unreadable(folder, (cause as Error).message, cause);
  }
}

function readFile(path: string): RegistryFile {
  let text: string;
  try {
    // Reading a pipe would block.
    if (!statSync(path).isFile()) throw unreadable(path, 'it is not a file');
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof OpenBotError) throw cause;
    if (isMissing(cause)) return { version: VERSION, sessions: {} };
    throw unreadable(path, (cause as Error).message, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the file, which may belong to another agent.
    throw unreadable(path, 'it is not valid JSON');
  }
  const fault = findFault(value);
  if (fault !== undefined) throw unreadable(path, fault);
  return value as RegistryFile;
}

/** Quotes nothing from the file: the caller may be another agent. */
function findFault(value: unknown): string | undefined {
  if (!isRecord(value) || !isRecord(value.sessions)) return 'it contains no sessions';
  if (typeof value.version !== 'number' || value.version > VERSION) {
    return 'its version is unknown';
  }
  for (const [index, [id, session]] of Object.entries(value.sessions).entries()) {
    const fault = findSessionFault(id, session);
    if (fault !== undefined) return `session ${index + 1} in it: ${fault}`;
  }
  return undefined;
}

const KINDS: Readonly<Record<keyof RegisteredSession, [kind: string, isNeeded: boolean]>> = {
  sessionId: ['string', true],
  agentId: ['string', true],
  repoPath: ['string', true],
  repoKey: ['string', false],
  label: ['string', false],
  tasks: ['strings', true],
  turns: ['number', true],
  totalCostUsd: ['number', true],
  unsavedUsd: ['number', false],
  maxBudgetUsd: ['number', false],
  model: ['string', false],
  startedAt: ['time', true],
  endedAt: ['time', false],
  result: ['string', false],
  runner: ['process', false],
};

function findSessionFault(id: string, session: unknown): string | undefined {
  if (!isRecord(session)) return 'it is not an object';
  if (!isSessionId(id) || session.sessionId !== id) return 'its id does not match its key';
  for (const [name, [kind, isNeeded]] of Object.entries(KINDS)) {
    const value = session[name];
    if (value === undefined ? isNeeded : !isOfKind(value, kind)) return `${name} is not valid`;
  }
  return undefined;
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === 'strings') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (kind === 'number') return typeof value === 'number' && Number.isFinite(value) && value >= 0;
  if (kind === 'time') return typeof value === 'string' && !Number.isNaN(Date.parse(value));
  if (kind === 'process') return isProcess(value);
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('REGISTRY_UNREADABLE', `Cannot read the registry ${path}: ${why}`, {
    hint: 'Repair the file, or move it away: its sessions are then found by their transcripts alone.',
    cause,
  });
}

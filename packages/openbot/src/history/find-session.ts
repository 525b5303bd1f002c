import { OpenBotError } from '@openbot/sessions';
import type { OpenclawLayout } from '@openbot/sessions/layout';
import {
  type FoundSession,
  findReadableSession,
  type ReadableSession,
  type SearchScope,
  type SourceChoice,
} from 'oc-context-cleaner';

/** Where a conversation is looked for. */
export interface HistorySearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** openbot's own. */
  readonly stateDir: string;
  /** Where that folder has its sessions. */
  readonly layout?: OpenclawLayout;
  /** `--state-dir`, where it was given. */
  readonly stateDirFlag?: string;
  readonly agentId?: string;
  /** The programs whose sessions are meant. Left out: those of the state folder. */
  readonly source?: SourceChoice;
  /** The words of the command: an agent that calls it means its own session. */
  readonly commandLine?: readonly string[];
  /** Asks which of several is meant. */
  readonly choose?: (sessions: readonly FoundSession[]) => Promise<FoundSession>;
  readonly warn?: (fault: OpenBotError) => void;
}

/**
 * The session of an id, its beginning, a key, a label or a path; without a name the most recently active one. openbot's own
 * state folder is searched, unless a source is named.
 */
export async function findHistory(search: HistorySearch, name?: string): Promise<ReadableSession> {
  const [first, ...others] = scopesOf(search, name);
  try {
    return await findReadableSession(first!, name);
  } catch (error) {
    for (const scope of others) {
      const found = isNotFound(error) ? await findReadableSession(scope, name).catch(ifNotFound) : undefined;
      if (found !== undefined) return found;
    }
    throw error instanceof OpenBotError ? forThisProgram(error, search) : error;
  }
}

/** The scopes to search, one after the other. */
function scopesOf(search: HistorySearch, name = ''): readonly SearchScope[] {
  const { env, cwd, stateDirFlag, agentId, source } = search;
  const isAnywhere = stateDirFlag === undefined && agentId === undefined && source === undefined;
  // A file may be of any program.
  const ofPath = isAnywhere && /[/\\]|\.(?:jsonl|sqlite)(?:\.|$)/.test(name) ? [{ env, cwd }] : [];
  return [...ofPath, ...scopesOfSource(search)];
}

function scopesOfSource(search: HistorySearch): readonly SearchScope[] {
  const { env, cwd, stateDir, layout, stateDirFlag, agentId, source, commandLine, choose, warn } = search;
  const common = {
    cwd,
    commandLine,
    choose,
    warn,
    layouts: new Map(),
    agentFlag: agentId,
  };
  // Only OpenClaw has agents.
  const everyAgent = agentId === undefined ? { allAgents: true } : {};
  const own = { ...common, ownLayout: layout, env: { ...env, OCC_STATE_DIRECTORY: stateDir } };
  if (stateDirFlag !== undefined)
    return [{ ...common, ...everyAgent, ownLayout: layout, env, source, stateDirFlag: stateDir }];
  // openbot that runs inside Claude Code still means its own sessions.
  if (source === undefined)
    return [{ ...own, ...everyAgent, env: { ...own.env, CLAUDE_CODE_SESSION_ID: undefined } }];
  const openclaw = { ...common, ...everyAgent, layouts: new Map(), env, source: 'openclaw' as const };
  if (source === 'all') return [{ ...own, source }, openclaw];
  return [source === 'openclaw' ? openclaw : { ...common, env, source }];
}

function isNotFound(error: unknown): boolean {
  return (
    error instanceof OpenBotError && (error.code === 'SESSION_NOT_FOUND' || error.code === 'NO_SESSIONS')
  );
}

function ifNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

function forThisProgram(error: OpenBotError, { source, stateDir }: HistorySearch): OpenBotError {
  if (error.code === 'NO_SESSIONS' && source === undefined) {
    return new OpenBotError(error.code, `There are no sessions in ${stateDir}`, {
      hint: 'To begin one: openbot agent -m "hello". Sessions of other programs are shown with --source openclaw, pi, claude or all',
      cause: error,
    });
  }
  const hint = error.hint
    ?.replaceAll(
      "'occ list'",
      source === undefined ? "'openbot sessions'" : `'openbot clean list --source ${source}'`,
    )
    .replaceAll("'occ list ", "'openbot clean list ")
    .replaceAll('occ does not guess', 'openbot does not guess');
  return hint === error.hint ? error : new OpenBotError(error.code, error.message, { hint, cause: error });
}

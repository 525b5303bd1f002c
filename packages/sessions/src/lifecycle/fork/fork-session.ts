import { rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { resolveWithinFolder } from '../../disk/canonical-path.ts';
import { syncFolder } from '../../disk/folders.ts';
import { linkNew } from '../../disk/link-new.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import { OpenBotError } from '../../errors.ts';
import { type LayoutOptions, resolveDefaultSessionStorePath } from '../../layout/paths.ts';
import { describeFileFault } from '../../transcript-file/file-faults.ts';
import { type AgentSessions, locateTranscript, openAgentSessions } from '../agent-sessions.ts';
import { isTranscriptFile } from '../archive/archive-transcript.ts';
import { type Clock, type ClockParams, readClock } from '../clock.ts';
import { nameSession, type SessionFileName } from '../init/start-session.ts';
import { copyActivePath } from './copy-path.ts';

export interface ForkedSession {
  sessionId: string;
  sessionFile: string;
}

type ParentEntry = Readonly<Pick<SessionEntry, 'sessionId' | 'sessionFile'>>;

/**
 * A new transcript that begins with what the parent's conversation is made of up to now, and names the parent's file in
 * its header. The parent may be in use. Null when it has no transcript that agents can open. Writes no entry.
 */
export async function forkSessionFromParent(
  params: ClockParams &
    LayoutOptions & {
      parentEntry: ParentEntry;
      /** The store of the parent, beside which its transcripts are; without it, the agent's own. */
      storePath?: string;
      agentId?: string;
      topicId?: string | number;
    },
): Promise<ForkedSession | null> {
  const storePath = params.storePath ?? resolveDefaultSessionStorePath(params.agentId, params);
  const agent = openAgentSessions({ storePath, agentId: params.agentId });
  const fork = await prepareFork(agent, params.parentEntry, readClock(params), params.topicId);
  if (fork === undefined) return null;
  try {
    return await placeFork(fork);
  } finally {
    await discardFork(fork);
  }
}

export interface PreparedFork extends SessionFileName {
  /** Holds the copy until it gets its name. A killed process leaves it to be swept. */
  temp: string;
}

export async function prepareFork(
  agent: AgentSessions,
  parentEntry: ParentEntry,
  clock: Clock,
  topicId?: string | number,
): Promise<PreparedFork | undefined> {
  const parentSession = locateTranscript(agent, parentEntry);
  if (!(await isTranscriptFile(parentSession))) return undefined;
  const name = await nameSession(agent, clock, topicId);
  const temp = await copyActivePath(resolveWithinFolder(parentSession), name.sessionFile, {
    id: name.sessionId,
    timestamp: new Date(clock.now).toISOString(),
    parentSession,
  });
  return temp === undefined ? undefined : { ...name, temp };
}

/** Gives the copy its name, never that of a file that exists. */
export async function placeFork({ sessionId, sessionFile, temp }: PreparedFork): Promise<ForkedSession> {
  try {
    if (!linkNew(temp, sessionFile)) {
      if (await isTranscriptFile(sessionFile)) throw transcriptExists(sessionFile);
      await rename(temp, sessionFile);
    }
    await syncFolder(dirname(sessionFile));
    return { sessionId, sessionFile };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw transcriptExists(sessionFile, error);
    throw describeFileFault(sessionFile, error, 'write');
  }
}

function transcriptExists(path: string, cause?: unknown): OpenBotError {
  return new OpenBotError('TRANSCRIPT_EXISTS', `There is a transcript at ${path} already`, { cause });
}

export async function discardFork({ temp }: PreparedFork): Promise<void> {
  await unlink(temp).catch(() => {});
}

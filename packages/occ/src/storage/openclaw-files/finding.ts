import { findOpenclawFigure } from '@openbot/sessions/lines';
import type { FindingStorage, SearchAgain } from '../contract/finding.ts';
import type { FoundSession } from '../contract/found-session.ts';
import { describeLocated } from '../contract/located-session.ts';
import { isFileLocked } from '../files/file-session.ts';
import { readEndsOfFiles } from '../files/transcript-ends.ts';
import { readTranscriptHead } from '../files/transcript-head.ts';

export const openclawFilesFinding: FindingStorage = {
  hasOwnFile: true,
  isNamedByFile: true,
  isVersioned: false,
  describe(located) {
    const { path, missing, opened = missing ? undefined : readTranscriptHead(path) } = located;
    return describeLocated(located, { cwd: opened?.cwd });
  },
  readEnds: readEndsOfFiles(findOpenclawFigure),
  explainMissing: ({ path }) => `The index names it, but its transcript ${path} is gone`,
  readOpenCalls: async (sessions) => (await import('../files/open-calls.ts')).readOpenCallsOfFiles(sessions),
  isLocked: isFileLocked,
  addressInCommand(session, again) {
    const name = again.byPath ? session.path : nameOf(session);
    return { name, flags: name === session.path ? [] : agentFlags(session, again) };
  },
};

/** The topics of one session share its id; their files have different names. */
function nameOf({ sessionId, path }: FoundSession): string {
  const stem = /([^/\\]+)\.jsonl$/.exec(path)?.[1] ?? sessionId;
  if (stem === sessionId) return sessionId;
  return stem.startsWith(sessionId) && /^[\w-]+$/.test(stem) ? stem : path;
}

/** The flags with which a search finds the sessions of an agent of OpenClaw. */
export function agentFlags({ source, agentId }: FoundSession, again: SearchAgain): readonly string[] {
  const { flags = [], defaultSource = 'openclaw', defaultAgentId = 'main' } = again;
  const agent = agentId === null || agentId === defaultAgentId ? [] : ['--agent', agentId];
  const where = [...agent, ...flags];
  // Each of these flags implies the source.
  return where.length > 0 || defaultSource === 'openclaw' ? where : ['--source', source];
}

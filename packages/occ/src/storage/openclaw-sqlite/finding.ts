import type { FindingStorage, SearchAgain } from '../contract/finding.ts';
import type { FoundSession } from '../contract/found-session.ts';
import { describeLocated } from '../contract/located-session.ts';
import { agentFlags } from '../openclaw-files/finding.ts';
import { readDatabaseTranscript } from './database-transcript.ts';
import { readEndsOfRows } from './row-ends.ts';

export const openclawSqliteFinding: FindingStorage = {
  hasOwnFile: false,
  isNamedByFile: true,
  isVersioned: true,
  describe(located) {
    if (located.missing) return describeLocated({ ...located, sizeBytes: 0 });
    const { sizeBytes, cwd } = readDatabaseTranscript(located);
    return describeLocated({ ...located, sizeBytes }, { cwd });
  },
  readEnds: readEndsOfRows,
  explainMissing: ({ path }) => `The database ${path} names it, but has no lines of it`,
  readOpenCalls: async (sessions) => (await import('./open-calls.ts')).readOpenCallsOfRows(sessions),
  /** The path of a database identifies a session only where that is the only one. */
  addressInCommand(session, again) {
    const place = /^(.*)[/\\]agents[/\\]([^/\\]+)[/\\]agent[/\\]openclaw-agent\.sqlite$/.exec(session.path);
    if (!again.byPath) return { name: session.sessionId, flags: agentFlags(session, again) };
    if (place === null) return { name: nameByPath(session, again), flags: [] };
    return { name: session.sessionId, flags: ['--agent', place[2]!, '--state-dir', place[1] || '/'] };
  },
};

/** A database outside a state folder has one session, or its sessions are named by their transcripts. */
function nameByPath({ sessionId, path }: FoundSession, { byTranscript }: SearchAgain): string {
  return byTranscript ? `${path}.sessions/${sessionId}.jsonl` : path;
}

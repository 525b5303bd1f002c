import { findOpenclawFigure } from '@openbot/sessions/lines';
import type { FindingStorage } from '../contract/finding.ts';
import { describeLocated } from '../contract/located-session.ts';
import { isFileLocked } from '../files/file-session.ts';
import { readEndsOfFiles } from '../files/transcript-ends.ts';
import { readHeadAndTitle, readOwnTitle, type TitleLines } from '../files/transcript-title.ts';

const TITLES: TitleLines = {
  mark: '_info"',
  fields: new Map([['session_info', 'name']]),
  best: 'name',
  choose: ({ name }) => name?.trim() || undefined,
};

export const piFinding: FindingStorage = {
  hasOwnFile: true,
  isNamedByFile: false,
  isVersioned: false,
  describe(located) {
    const { head, title } = readHeadAndTitle(TITLES, located);
    // pi does not accept a transcript without an id in its header.
    if (head !== undefined && head.sessionId === undefined) return undefined;
    return describeLocated(located, { ...head, title });
  },
  readOwnId: (located) => piFinding.describe(located)?.sessionId,
  readTitle: (located) => readOwnTitle(TITLES, located),
  readEnds: readEndsOfFiles(findOpenclawFigure),
  readOpenCalls: async (sessions) => (await import('../files/open-calls.ts')).readOpenCallsOfFiles(sessions),
  isLocked: isFileLocked,
  addressInCommand: ({ sessionId, path, source }, { byPath }) => ({
    name: byPath ? path : sessionId,
    flags: ['--source', source],
  }),
};

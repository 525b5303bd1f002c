import { findClaudeCodeFigure, resolveClaudeTitle } from '@openbot/sessions/lines';
import type { FindingStorage } from '../contract/finding.ts';
import { describeLocated } from '../contract/located-session.ts';
import { readEndsOfFiles } from '../files/transcript-ends.ts';
import { readHeadAndTitle, readOwnTitle, type TitleLines } from '../files/transcript-title.ts';

const TITLES: TitleLines = {
  mark: '-title"',
  fields: new Map([
    ['custom-title', 'customTitle'],
    ['ai-title', 'aiTitle'],
  ]),
  best: 'customTitle',
  choose: resolveClaudeTitle,
};

export const claudeFinding: FindingStorage = {
  hasOwnFile: true,
  isNamedByFile: false,
  isVersioned: false,
  describe(located) {
    const { head, title } = readHeadAndTitle(TITLES, located);
    return describeLocated(located, { cwd: head?.cwd, title });
  },
  readTitle: (located) => readOwnTitle(TITLES, located),
  readEnds: readEndsOfFiles(findClaudeCodeFigure),
  addressInCommand: ({ sessionId, path, source }, { byPath }) => ({
    name: byPath ? path : sessionId,
    flags: ['--source', source],
  }),
};

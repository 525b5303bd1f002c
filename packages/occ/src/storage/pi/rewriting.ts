import { quoteForShell } from '@openbot/sessions/terminal-text';
import { makeFilesRewriting } from '../files/rewriting.ts';

export const piRewriting = makeFilesRewriting({
  clones: {
    // pi puts the time before the id.
    fileName: (sessionId, at) => `${at.toISOString().replaceAll(/[:.]/g, '-')}_${sessionId}.jsonl`,
    resumeCommand: ({ path }) => `pi --session ${quoteForShell(path)}`,
  },
});

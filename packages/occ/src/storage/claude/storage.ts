import { dirname, join } from 'node:path';
import { describeOpenClaude, findOpenClaude } from '@openbot/sessions/disk';
import type { SessionStorage } from '../contract/storage.ts';
import type { FileProgram } from '../files/use.ts';
import { claudeFinding } from './finding.ts';

const PROGRAM: FileProgram = {
  takesLock: false,
  ownRun: ({ sessionId }, { env }) => (env.CLAUDE_CODE_SESSION_ID === sessionId ? 'survives' : 'no'),
  findOpen: ({ path, sessionId }) => {
    const open = findOpenClaude(join(dirname(path), '..', '..'), sessionId);
    if (open === undefined) return undefined;
    const who = `Claude Code has it open (${describeOpenClaude(open)})`;
    return { pid: open.pid, isWorking: open.status !== 'idle', who };
  },
};

export const claude: SessionStorage = {
  name: 'claude',
  source: 'claude',
  ...claudeFinding,
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('./rewriting.ts')).claudeRewriting,
  use: async () => (await import('../files/use.ts')).fileUse(PROGRAM),
  following: async () => (await import('../files/following.ts')).fileFollowing,
};

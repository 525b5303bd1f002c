import type { SessionStorage } from '../contract/storage.ts';
import type { FileProgram } from '../files/use.ts';
import { piFinding } from './finding.ts';

const PROGRAM: FileProgram = {
  takesLock: true,
  ownRun: (_session, { foundBy }) => (foundBy === 'calling-command' ? 'survives' : 'no'),
};

export const pi: SessionStorage = {
  name: 'pi',
  source: 'pi',
  ...piFinding,
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('./rewriting.ts')).piRewriting,
  use: async () => (await import('../files/use.ts')).fileUse(PROGRAM),
  following: async () => (await import('../files/following.ts')).fileFollowing,
};

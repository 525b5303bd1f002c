import type { SessionStorage } from '../contract/storage.ts';
import type { FileProgram } from '../files/use.ts';
import { openclawFilesFinding } from './finding.ts';

const PROGRAM: FileProgram = {
  takesLock: true,
  ownRun: (_session, { foundBy }) => (foundBy === 'calling-command' ? 'aborts' : 'no'),
};

export const openclawFiles: SessionStorage = {
  name: 'openclaw-files',
  source: 'openclaw',
  ...openclawFilesFinding,
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('./rewriting.ts')).openclawFilesRewriting,
  use: async () => (await import('../files/use.ts')).fileUse(PROGRAM),
};

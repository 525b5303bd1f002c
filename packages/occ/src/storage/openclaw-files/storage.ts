import { runLockPathOf, sessionAddressOf } from '@openbot/sessions/layout';
import { stateFolderOfTranscript } from '../../layout/state-folder.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { SessionStorage } from '../contract/storage.ts';
import type { FileProgram } from '../files/use.ts';
import { openclawFilesFinding } from './finding.ts';

const PROGRAM: FileProgram = {
  takesLock: true,
  ownRun: (_session, { foundBy }) => (foundBy === 'calling-command' ? 'aborts' : 'no'),
  runLockOf: findRunLock,
};

/** Of openbot, which keeps its sessions as OpenClaw does, and takes the lock of a transcript only for a write. */
function findRunLock({ path, agentId, sessionKey }: FoundSession): string | undefined {
  const stateFolder = stateFolderOfTranscript(path);
  if (stateFolder === undefined || agentId === null || sessionKey === undefined) return undefined;
  return runLockPathOf(stateFolder, sessionAddressOf({ agentId, sessionKey }));
}

export const openclawFiles: SessionStorage = {
  name: 'openclaw-files',
  source: 'openclaw',
  ...openclawFilesFinding,
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('./rewriting.ts')).openclawFilesRewriting,
  use: async () => (await import('../files/use.ts')).fileUse(PROGRAM),
  following: async () => (await import('../files/following.ts')).fileFollowing,
};

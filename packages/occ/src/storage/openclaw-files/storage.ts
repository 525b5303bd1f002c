import type { SessionStorage } from '../contract/storage.ts';
import { openclawFilesFinding } from './finding.ts';

export const openclawFiles: SessionStorage = {
  name: 'openclaw-files',
  source: 'openclaw',
  ...openclawFilesFinding,
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('../files/rewriting.ts')).filesRewriting,
};

import type { SessionStorage } from '../contract/storage.ts';

export const openclawFiles: SessionStorage = {
  name: 'openclaw-files',
  source: 'openclaw',
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('../files/rewriting.ts')).filesRewriting,
};

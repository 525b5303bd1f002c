import type { SessionStorage } from '../contract/storage.ts';

export const claude: SessionStorage = {
  name: 'claude',
  source: 'claude',
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('../files/rewriting.ts')).filesRewriting,
};

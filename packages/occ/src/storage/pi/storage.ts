import type { SessionStorage } from '../contract/storage.ts';

export const pi: SessionStorage = {
  name: 'pi',
  source: 'pi',
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('../files/rewriting.ts')).filesRewriting,
};

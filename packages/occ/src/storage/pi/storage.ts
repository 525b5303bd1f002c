import type { SessionStorage } from '../contract/storage.ts';
import { piFinding } from './finding.ts';

export const pi: SessionStorage = {
  name: 'pi',
  source: 'pi',
  ...piFinding,
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('../files/rewriting.ts')).filesRewriting,
};

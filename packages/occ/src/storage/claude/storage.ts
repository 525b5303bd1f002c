import type { SessionStorage } from '../contract/storage.ts';
import { claudeFinding } from './finding.ts';

export const claude: SessionStorage = {
  name: 'claude',
  source: 'claude',
  ...claudeFinding,
  transcriptPathOf: ({ path }) => path,
  failedPathOf: ({ path }) => path,
  rewriting: async () => (await import('../files/rewriting.ts')).filesRewriting,
};

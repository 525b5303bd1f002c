import type { Audience } from '../listeners.ts';

/** Those who watch a store, whichever driver keeps it. */
export const STORE_AUDIENCE: Audience = {
  of: 'of a session store',
  warningCode: 'OPENBOT_STORE_LISTENER',
};

import type { OpenBotError } from '@openbot/sessions';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { readPairing } from '../../access/pairing-file.ts';
import { sharesSession } from '../../config/channels.ts';
import type { Check } from '../contract.ts';

export const pairing: Check = {
  name: 'pairing',
  about: 'People who were let in by pairing',
  isQuick: true,
  look({ stateDir, config = {} }) {
    try {
      const { approved } = readPairing(stateDir);
      if (approved.length === 0 || !sharesSession(config)) return [];
      return [
        {
          severity: 'warning',
          what: `${formatQuantity(approved.length, 'person', 'people')} approved by pairing share your own session, and the agent can tell them what you said there`,
          remedy: 'A session for each person: openbot config set session.dmScope per-channel-peer',
        },
      ];
    } catch (error) {
      const { message, hint } = error as OpenBotError;
      return [{ severity: 'problem', what: message, remedy: hint }];
    }
  },
};

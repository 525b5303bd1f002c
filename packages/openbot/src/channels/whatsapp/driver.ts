import { setTimeout } from 'node:timers/promises';
import type { ChannelDriver } from '../contract.ts';
import { readWhatsAppSettings } from './settings.ts';
import { WhatsAppChannel } from './whatsapp-channel.ts';

export const driver: ChannelDriver = {
  open: (options) =>
    new WhatsAppChannel({
      ...options,
      settings: readWhatsAppSettings(options.settings),
      wait: (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }),
    }),
};

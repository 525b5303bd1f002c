import { setTimeout } from 'node:timers/promises';
import type { ChannelDriver } from '../contract.ts';
import { readWebhookSettings } from './settings.ts';
import { WebhookChannel } from './webhook-channel.ts';

export const driver: ChannelDriver = {
  open: (options) =>
    new WebhookChannel({
      ...options,
      settings: readWebhookSettings(options.settings),
      wait: (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }),
    }),
};

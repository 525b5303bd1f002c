import { OpenBotError } from '@openbot/sessions';
import * as z from 'zod/mini';
import { webhookSettings } from '../../config/schema/webhook-settings.ts';

/** What the adapter needs of `channels.webhook`. */
export interface WebhookSettings {
  readonly secret: string;
  /** Absent: messages are taken, and replies have no way out. */
  readonly url?: string;
  readonly textLimit: number;
  readonly recognisesRepeats: boolean;
}

const shape = z.object(webhookSettings);

/** Names the setting that is missing or wrong, never its value. */
export function readWebhookSettings(settings: Readonly<Record<string, unknown>>): WebhookSettings {
  const read = shape.safeParse(settings);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    throw new OpenBotError('CONFIG_INVALID', `channels.webhook.${path.join('.')} ${message}`);
  }
  const { secret, url, textLimit = Number.POSITIVE_INFINITY, recognisesRepeats = false } = read.data;
  if (secret === undefined) {
    throw new OpenBotError('CONFIG_INVALID', 'channels.webhook.secret is missing', {
      hint: 'docs/channels/webhook.md shows how to make one.',
    });
  }
  return { secret, url, textLimit, recognisesRepeats };
}

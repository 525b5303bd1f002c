import { OpenBotError } from '@openbot/sessions';
import * as z from 'zod/mini';
import { telegramSettings } from '../../config/schema/telegram-settings.ts';

/** What an account is given, checked. */
export interface TelegramSettings {
  readonly botToken: string;
  /** Without a slash at its end. */
  readonly apiRoot: string;
  /** Updates come to this address instead of being asked for. */
  readonly webhook?: { readonly url: string; readonly secret: string };
  readonly channelPosts: boolean;
  readonly linkPreview: boolean;
}

const shape = z.object(telegramSettings);

/** Names the setting that is missing or wrong, never its value. */
export function readSettings(settings: Readonly<Record<string, unknown>>): TelegramSettings {
  const read = shape.safeParse(settings);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    throw refuse(`channels.telegram.${path.join('.')} ${message}`);
  }
  const { botToken, webhookUrl, webhookSecret, ...given } = read.data;
  if (botToken === undefined)
    throw refuse('channels.telegram.botToken is missing', '@BotFather gives it: docs/channels/telegram.md.');
  if (webhookUrl !== undefined && webhookSecret === undefined)
    throw refuse(
      'channels.telegram.webhookUrl needs a webhookSecret',
      'Without it anyone who knows the address could write in the name of others.',
    );
  if (given.apiRoot === undefined && webhookUrl !== undefined && !/^https:/i.test(webhookUrl))
    throw refuse(
      'channels.telegram.webhookUrl must begin with https://',
      'Telegram calls no other address. A Bot API server of your own (apiRoot) may.',
    );
  return {
    botToken: botToken.trim(),
    apiRoot: (given.apiRoot ?? 'https://api.telegram.org').replace(/\/+$/, ''),
    ...(webhookUrl !== undefined && { webhook: { url: webhookUrl, secret: webhookSecret! } }),
    channelPosts: given.channelPosts ?? false,
    linkPreview: given.linkPreview ?? true,
  };
}

function refuse(message: string, hint?: string): OpenBotError {
  return new OpenBotError('CONFIG_INVALID', message, { hint });
}

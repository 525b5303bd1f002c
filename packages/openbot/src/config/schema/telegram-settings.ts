/** Telegram, by the Bot API. */
import * as z from 'zod/mini';
import { about, flag, secret } from './values.ts';

const address = 'must be an address that begins with https:// or http://';
const token = 'must be a token of @BotFather: digits, a colon, letters';
const word = 'must be 8 to 256 letters, digits, _ and -';

function patterned(pattern: RegExp, error: string) {
  return z.optional(z.string('must be text').check(z.regex(pattern, error)));
}

export const telegramSettings = {
  botToken: secret('The token of the bot, from @BotFather', patterned(/^\s*\d+:[\w-]+\s*$/, token)),
  apiRoot: about(
    'Where the Bot API is',
    patterned(/^https?:\/\/[^\s/]/i, address),
    'https://api.telegram.org',
  ),
  webhookUrl: about(
    'The public address of `/channels/telegram/<account>` of the gateway. With it Telegram calls; otherwise it is asked for messages',
    patterned(/^https?:\/\/[^\s/]/i, address),
  ),
  webhookSecret: secret(
    'Words of your choice that Telegram shows with each call. Needed with `webhookUrl`',
    patterned(/^[\w-]{8,256}$/, word),
  ),
  channelPosts: about('Whether posts of channels are messages to the agent', flag, false),
  linkPreview: about('Whether links in replies have a preview', flag, true),
};

/** Discord, by a bot. */
import * as z from 'zod/mini';
import { about, flag, secret } from './values.ts';

const address = 'must be an address that begins with https:// or http://';
const token = 'must be the token of a bot: letters, digits and signs without a space';

function patterned(pattern: RegExp, error: string) {
  return z.optional(z.string('must be text').check(z.regex(pattern, error)));
}

export const discordSettings = {
  token: secret(
    'The token of the bot, from its page in the developer portal',
    patterned(/^\s*(?:Bot\s+)?[\x21-\x7e]+\s*$/i, token),
  ),
  apiRoot: about(
    'Where Discord is, without `/api`',
    patterned(/^https?:\/\/[^\s/]/i, address),
    'https://discord.com',
  ),
  allowBots: about(
    'Whether other bots are heard; `mentions`: those that mention this one',
    z.optional(z.union([z.boolean(), z.literal('mentions')], 'must be true, false or mentions')),
    false,
  ),
  guilds: about(
    'As in OpenClaw: servers by id with `requireMention`, `users` and `channels`. They count as groups; `groups` wins',
    z.optional(z.record(z.string(), z.looseObject({}, 'must be an object'), 'must be an object')),
  ),
  suppressEmbeds: about('Whether links in replies have no preview', flag, true),
};

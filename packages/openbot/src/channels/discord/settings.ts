import { OpenBotError } from '@openbot/sessions';
import * as z from 'zod/mini';
import { discordSettings } from '../../config/schema/discord-settings.ts';

/** What the adapter itself reads of `channels.discord`. Who may talk is decided behind it. */
export interface DiscordSettings {
  readonly token: string;
  /** Without `/api`, and without a slash at its end. */
  readonly apiRoot: string;
  /** Whether other bots are heard: never, always, or when they mention this one. */
  readonly allowBots: boolean | 'mentions';
  /** Links in replies get no preview. */
  readonly suppressEmbeds: boolean;
  /** For the owner: what is set and has no effect. */
  readonly remarks: readonly string[];
}

const shape = z.object(discordSettings);
const ROLES =
  'channels.discord.guilds lets members in by their roles, which is not read: list their ids in users.';

/** Names the setting that is missing or wrong, never its value. */
export function readDiscordSettings(settings: Readonly<Record<string, unknown>>): DiscordSettings {
  const read = shape.safeParse(settings);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    throw new OpenBotError('CONFIG_INVALID', `channels.discord.${path.join('.')} ${message}`);
  }
  const { token, apiRoot = 'https://discord.com', allowBots = false, suppressEmbeds = true } = read.data;
  if (token === undefined) {
    throw new OpenBotError('CONFIG_INVALID', 'channels.discord.token is missing', {
      hint: 'docs/channels/discord.md says where to find it.',
    });
  }
  return {
    token: token.trim().replace(/^Bot\s+/i, ''),
    apiRoot: apiRoot.replace(/\/+$/, ''),
    allowBots,
    suppressEmbeds,
    remarks: /"roles":\[[^\]]/.test(JSON.stringify(settings.guilds ?? {})) ? [ROLES] : [],
  };
}

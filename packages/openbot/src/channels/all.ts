import { OpenBotError } from '@openbot/sessions';
import { isInstalled } from '../install-command.ts';
import type { ChannelDriver } from './contract.ts';

/** A chat network that this version can speak on. */
export interface ChannelKind {
  /** As people write it. */
  readonly label: string;
  /** Its module loads the library of the network, so it is called for a configured channel alone. */
  load(): Promise<{ readonly driver: ChannelDriver }>;
  /** npm packages that are not installed with OpenBot. */
  readonly packages: readonly string[];
  /** The setting that holds what the network gave to prove who we are. */
  readonly credential: string;
  /** The setting that no two accounts share, where it is another: the number of an account, beside a token for all. */
  readonly distinct?: string;
  /** Where a person gets it: a sentence without its point. */
  readonly credentialHint: string;
  /** A variable of the environment that has it for the account `default` where no setting has. */
  readonly variable?: string;
}

export type ChannelKinds = Readonly<Record<string, ChannelKind>>;

/** By the name of their settings in `channels`. */
export const CHANNEL_KINDS: ChannelKinds = {
  telegram: {
    label: 'Telegram',
    load: () => import('./telegram/driver.ts'),
    packages: ['grammy'],
    credential: 'botToken',
    credentialHint: 'Write /newbot to @BotFather in Telegram; it answers with the token',
    variable: 'TELEGRAM_BOT_TOKEN',
  },
  discord: {
    label: 'Discord',
    load: () => import('./discord/driver.ts'),
    packages: ['@discordjs/ws', '@discordjs/rest'],
    credential: 'token',
    credentialHint: 'Make an application at discord.com/developers, and take the token of its bot',
    variable: 'DISCORD_BOT_TOKEN',
  },
  whatsapp: {
    label: 'WhatsApp',
    load: () => import('./whatsapp/driver.ts'),
    packages: [],
    credential: 'accessToken',
    distinct: 'phoneNumberId',
    credentialHint: 'Make a system user at business.facebook.com, and a token of it for your WhatsApp app',
  },
  webhook: {
    label: 'Webhook',
    load: () => import('./webhook/driver.ts'),
    packages: [],
    credential: 'secret',
    credentialHint: 'Choose a long random text; the other program signs with the same',
  },
};

export function findKind(channel: string, kinds: ChannelKinds = CHANNEL_KINDS): ChannelKind | undefined {
  return Object.hasOwn(kinds, channel) ? kinds[channel] : undefined;
}

/** The one command, as npm in the folder of this program would be given it. */
export function installCommand({ packages }: Pick<ChannelKind, 'packages'>): string {
  return `npm install ${packages.join(' ')}`;
}

/** Throws CHANNEL_NOT_INSTALLED with the command that installs what is missing. */
export async function loadDriver(kind: ChannelKind): Promise<ChannelDriver> {
  const missing = kind.packages.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw notInstalled(kind, missing);
  try {
    return (await kind.load()).driver;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw notInstalled(kind, kind.packages, cause);
  }
}

function notInstalled(kind: ChannelKind, missing: readonly string[], cause?: unknown): OpenBotError {
  const what = missing.length === 1 ? `the package ${missing[0]}` : `the packages ${missing.join(' and ')}`;
  const are = missing.length === 1 ? 'is' : 'are';
  const message = `${kind.label} needs ${what}, which ${are} not installed`;
  return new OpenBotError('CHANNEL_NOT_INSTALLED', message, { hint: installCommand(kind), cause });
}

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { writeFileAtomic } from '@openbot/sessions/disk';
import type { BotConfig } from '../config/bot-config.ts';
import { gatewayFiles } from './gateway-files.ts';

/** 256 bits, in characters that need no escapes anywhere. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Makes the token of a state folder that has none. Resolves to its file where it was made. */
export async function ensureToken(stateDir: string): Promise<string | undefined> {
  const path = gatewayFiles(stateDir).token;
  if (readTokenFile(path) !== undefined) return undefined;
  await writeFileAtomic(path, `${makeToken()}\n`);
  return path;
}

/** A flag wins over the configuration, and that over the file, which is made where it is missing. */
export async function chooseToken({
  stateDir,
  config,
  flag,
}: {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly flag?: string;
}): Promise<string> {
  const given = flag ?? config.gateway?.auth?.token;
  if (given !== undefined) return given;
  await ensureToken(stateDir);
  const token = readTokenFile(gatewayFiles(stateDir).token);
  if (token === undefined) throw new Error('The token that was just made is gone');
  return token;
}

function readTokenFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const LEAST_BITS = 128;
/** A word that repeats itself has few. */
const LEAST_DISTINCT = 8;

/** Throws USAGE for a token that can be guessed, where others than this machine can try. */
export function assertStrong(token: string, address: string): void {
  const bits = token.length * Math.log2(alphabetOf(token));
  if (bits >= LEAST_BITS && new Set(token).size >= LEAST_DISTINCT) return;
  throw new OpenBotError(
    'USAGE',
    `The token of the gateway has less than ${LEAST_BITS} bits, and others could reach ${address} and guess it`,
    {
      hint: `Leave gateway.auth.token out, so that one of 256 bits is made, or set a random one: openssl rand -base64 32`,
    },
  );
}

function alphabetOf(token: string): number {
  if (/^\d*$/.test(token)) return 10;
  if (/^[\da-f]*$/.test(token) || /^[\dA-F]*$/.test(token)) return 16;
  if (/^[\da-z]*$/.test(token) || /^[\dA-Z]*$/.test(token)) return 36;
  return 64;
}

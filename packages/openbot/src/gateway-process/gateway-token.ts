import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { normalizeAgentId, OpenBotError } from '@openbot/sessions';
import { writeFileAtomic } from '@openbot/sessions/disk';
import type { BotConfig } from '../config/bot-config.ts';
import type { WatchedConfig } from '../config/watch-config.ts';
import { gatewayFiles } from './gateway-files.ts';

/** 256 bits, in characters that need no escapes anywhere. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Makes the token of a state folder that has none. Resolves to its file where it was made. */
export async function ensureToken(stateDir: string): Promise<string | undefined> {
  const path = gatewayFiles(stateDir).token;
  if (readTokenFile(path) !== undefined) return undefined;
  const draft = `${path}.${randomUUID()}`;
  await writeFileAtomic(draft, `${makeToken()}\n`);
  try {
    // Of several processes that start at once, one makes it, and all read it.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (readTokenFile(path) !== undefined) return undefined;
    // The file is empty.
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
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

/** Tokens that clients may show. */
export interface GatewayTokens {
  /** Of full rights. */
  readonly token: string;
  /** By the id of an agent, as sessions have it. */
  readonly agentTokens: Readonly<Record<string, string>>;
}

/**
 * Throws USAGE for tokens that can be guessed.
 * @param address that others than this machine reach; undefined where none can
 */
export async function readTokens({
  address,
  ...source
}: {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly flag?: string;
  readonly address?: string;
}): Promise<GatewayTokens> {
  const tokens = { token: await chooseToken(source), agentTokens: readAgentTokens(source.config) };
  if (address !== undefined) assertAllStrong(tokens, address);
  return tokens;
}

/**
 * The tokens as the configuration has them now. A token that others could guess is refused: at the start with USAGE, later by
 * keeping the former one, or for an agent none.
 * @param address that others than this machine reach; undefined where none can
 */
export async function watchTokens({
  stateDir,
  config: watched,
  flag,
  address,
  log,
}: {
  readonly stateDir: string;
  readonly config: Pick<WatchedConfig, 'config' | 'onChange'>;
  readonly flag?: string;
  readonly address?: string;
  log(line: string): void;
}): Promise<() => GatewayTokens> {
  const { config } = watched;
  let tokens = await readTokens({ stateDir, config, flag, address });
  const readAgain = async () => {
    const next = await readTokens({ stateDir, config, flag });
    const isFine = ([agentId, token]: readonly [string, string]) => {
      const fault = address === undefined ? undefined : findWeakness(token, address, agentId);
      if (fault !== undefined) log(`${fault}. It is not accepted`);
      return fault === undefined;
    };
    const fault = address === undefined ? undefined : findWeakness(next.token, address);
    if (fault !== undefined) log(`${fault}. The former one is used until it is corrected`);
    tokens = {
      token: fault === undefined ? next.token : tokens.token,
      agentTokens: Object.fromEntries(Object.entries(next.agentTokens).filter(isFine)),
    };
  };
  let reading = Promise.resolve();
  watched.onChange(() => {
    // One after the other, so that the last change is what holds.
    reading = reading
      .then(readAgain)
      .catch((error: unknown) => log(`Cannot read the token of the gateway: ${(error as Error).message}`));
  });
  const { token: path } = gatewayFiles(stateDir);
  let stamp = stampOf(path);
  const lookAtFile = () => {
    const present = stampOf(path);
    if (present === stamp) return;
    stamp = present;
    try {
      const token = readTokenFile(path);
      const fault =
        token === undefined
          ? `${path} has no token`
          : address === undefined
            ? undefined
            : findWeakness(token, address);
      if (fault !== undefined) log(`${fault}. The former one is used until it is corrected`);
      else tokens = { ...tokens, token: token! };
    } catch (error) {
      log(`Cannot read the token of the gateway: ${(error as Error).message}`);
    }
  };
  return () => {
    if (flag === undefined && config.gateway?.auth?.token === undefined) lookAtFile();
    return tokens;
  };
}

/** What changes with the content of the file. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? 'none' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

function readAgentTokens({ gateway }: BotConfig): Readonly<Record<string, string>> {
  const written = Object.entries(gateway?.auth?.agentTokens ?? {});
  return Object.fromEntries(written.map(([agentId, token]) => [normalizeAgentId(agentId), token]));
}

const LEAST_BITS = 128;
/** A word that repeats itself has few. */
const LEAST_DISTINCT = 8;

/** Throws USAGE for tokens of the configuration that can be guessed, where others than this machine can try. */
export function assertStrongIn(config: BotConfig, address: string): void {
  assertAllStrong({ token: config.gateway?.auth?.token, agentTokens: readAgentTokens(config) }, address);
}

function assertAllStrong(
  { token, agentTokens }: Partial<GatewayTokens> & Pick<GatewayTokens, 'agentTokens'>,
  address: string,
): void {
  const faults = [
    token === undefined ? undefined : findWeakness(token, address),
    ...Object.entries(agentTokens).map(([agentId, own]) => findWeakness(own, address, agentId)),
  ];
  const fault = faults.find((one) => one !== undefined);
  if (fault !== undefined)
    throw new OpenBotError('USAGE', fault, {
      hint: 'Set a random one: openssl rand -base64 32. Without gateway.auth.token one of 256 bits is made',
    });
}

function findWeakness(token: string, address: string, agentId?: string): string | undefined {
  const bits = token.length * Math.log2(alphabetOf(token));
  if (bits >= LEAST_BITS && new Set(token).size >= LEAST_DISTINCT) return undefined;
  const whose = agentId === undefined ? 'The token of the gateway' : `The token for the agent ${agentId}`;
  return `${whose} has less than ${LEAST_BITS} bits, and others could reach ${address} and guess it`;
}

function alphabetOf(token: string): number {
  if (/^\d*$/.test(token)) return 10;
  if (/^[\da-f]*$/.test(token) || /^[\dA-F]*$/.test(token)) return 16;
  if (/^[\da-z]*$/.test(token) || /^[\dA-Z]*$/.test(token)) return 36;
  return 64;
}

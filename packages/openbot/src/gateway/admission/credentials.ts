import { createHash, timingSafeEqual } from 'node:crypto';
import type { DeviceBook } from '../../gateway-devices/device-book.ts';
import type { GatewaySettings } from '../settings.ts';

/** What a token allows. */
export interface Grant {
  readonly via: 'token' | 'agent-token' | 'device-token';
  /** Undefined: all. */
  readonly agentIds?: ReadonlySet<string>;
  readonly deviceId?: string;
  /** As `Caller` has it. */
  readonly mayCommand: boolean;
}

/** The grant of a token of the configuration. Each is compared, in a time that says nothing of where they differ. */
export function matchToken(
  given: string | undefined,
  { token, commandToken = '', agentTokens }: Pick<GatewaySettings, 'token' | 'commandToken' | 'agentTokens'>,
): Grant | undefined {
  if (given === undefined || given === '') return undefined;
  const digest = digestOf(given);
  const agentIds = Object.entries(agentTokens).filter(([, own]) => isSame(digest, own));
  const isCommand = isSame(digest, commandToken);
  if (isSame(digest, token) || isCommand) return { via: 'token', mayCommand: true };
  if (agentIds.length === 0) return undefined;
  return { via: 'agent-token', agentIds: new Set(agentIds.map(([agentId]) => agentId)), mayCommand: false };
}

function isSame(given: Buffer, own: string): boolean {
  const isEqual = timingSafeEqual(given, digestOf(own));
  return isEqual && own !== '';
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const ALL_SCOPES = [
  'operator.admin',
  'operator.read',
  'operator.write',
  'operator.approvals',
  'operator.questions',
  'operator.pairing',
];
/** Of the whole gateway, and not of an agent. */
const OWNER_SCOPES: ReadonlySet<string> = new Set(['operator.admin', 'operator.pairing']);

/** A token for agents gives no rights over the gateway: who asks for them gets those over the agent. */
export function scopesWithin({ agentIds }: Grant, asked: readonly string[]): readonly string[] {
  if (agentIds === undefined) return asked;
  const wanted = asked.includes('operator.admin') ? [...asked, 'operator.read', 'operator.write'] : asked;
  return [...new Set(wanted)].filter((scope) => !OWNER_SCOPES.has(scope));
}

/** The grant and all scopes of a token that a request of HTTP has. */
export function matchBearer(
  given: string | undefined,
  settings: GatewaySettings,
  devices: DeviceBook,
): (Grant & { readonly scopes: readonly string[] }) | undefined {
  const grant = matchToken(given, settings);
  if (grant !== undefined) return { ...grant, scopes: scopesWithin(grant, ALL_SCOPES) };
  const device = given === undefined || given === '' ? undefined : devices.findByToken(given);
  if (device === undefined) return undefined;
  const { deviceId, scopes } = device;
  return { via: 'device-token', deviceId, scopes, mayCommand: scopes.includes('operator.admin') };
}

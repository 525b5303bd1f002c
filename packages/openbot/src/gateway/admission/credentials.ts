import { createHash, timingSafeEqual } from 'node:crypto';
import type { DeviceBook } from '../../gateway-devices/device-book.ts';
import type { GatewaySettings } from '../settings.ts';

/** What a token allows. */
export interface Grant {
  /** `command`: of a command of the owner on this machine. */
  readonly via: 'token' | 'command' | 'agent-token' | 'device-token';
  /** Of a token of the configuration: what `listCredentials` has as long as it holds. */
  readonly credential?: string;
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
  const agentIds = Object.entries(agentTokens)
    .filter(([, own]) => isSame(digest, own))
    .map(([agentId]) => agentId);
  const isCommand = isSame(digest, commandToken);
  const isWhole = isSame(digest, token);
  if (isCommand || isWhole)
    return { via: isCommand ? 'command' : 'token', mayCommand: true, credential: nameOf(digest) };
  if (agentIds.length === 0) return undefined;
  return {
    via: 'agent-token',
    agentIds: new Set(agentIds),
    mayCommand: false,
    credential: nameOf(digest, agentIds),
  };
}

/** Of the tokens that hold now. A token that is now for other agents is another credential. */
export function listCredentials({
  token,
  commandToken,
  agentTokens,
}: Pick<GatewaySettings, 'token' | 'commandToken' | 'agentTokens'>): ReadonlySet<string> {
  const all = [token, commandToken, ...Object.values(agentTokens)];
  return new Set(
    all.flatMap((one) => matchToken(one, { token, commandToken, agentTokens })?.credential ?? []),
  );
}

/** A hash, so that no token is kept with a connection. */
function nameOf(digest: Buffer, agentIds: readonly string[] = []): string {
  return [digest.toString('hex'), ...agentIds.toSorted()].join(' ');
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

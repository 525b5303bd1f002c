/** Decides who a client is and what it may do. */
import type { DeviceBook } from '../../gateway-devices/device-book.ts';
import {
  type ConnectParams,
  checkConnectParams,
  isPage,
  isProbe,
} from '../../gateway-protocol/connect-params.ts';
import { deviceIdOf, isSignedBy } from '../../gateway-protocol/device-signature.ts';
import { PROTOCOL } from '../../gateway-protocol/limits.ts';
import { hasScope, type Scope } from '../../gateway-protocol/scopes.ts';
import { toWireError } from '../../gateway-protocol/wire-errors.ts';
import type { GatewaySettings } from '../settings.ts';
import { type Grant, matchToken, scopesWithin } from './credentials.ts';
import type { FailureLimits } from './failure-limits.ts';
import {
  DEVICE_FAULTS,
  DEVICE_REQUIRED,
  type HandshakeRefusal,
  invalidParams,
  NO_TOKEN,
  otherProtocol,
  PAGE_DEVICE_REQUIRED,
  pairingRequired,
  tooManyFailures,
  WRONG_DEVICE_TOKEN,
  WRONG_ROLE,
  wrongOrigin,
  wrongToken,
} from './handshake-refusals.ts';
import { findOriginFault, type Peer } from './peer.ts';

export interface Admission extends Grant {
  readonly kind: 'admitted';
  readonly client: ConnectParams['client'];
  readonly caps: readonly string[];
  readonly scopes: readonly string[];
  /** A new one, which the client keeps. */
  readonly deviceToken?: string;
}

export interface Doorkeeper {
  readonly settings: () => GatewaySettings;
  readonly devices: DeviceBook;
  readonly failures: FailureLimits;
  now(): number;
  log(line: string): void;
}

export interface Challenge {
  readonly nonce: string;
  /** ms */
  readonly ts: number;
}

type Device = NonNullable<ConnectParams['device']>;

/** A signature is as old as the challenge that it answers, or a little older where clocks differ. */
const OLDEST_SIGNATURE_MS = 10 * 60_000;

export async function admit(
  keeper: Doorkeeper,
  peer: Peer,
  challenge: Challenge,
  given: unknown,
): Promise<Admission | HandshakeRefusal> {
  let params: ConnectParams;
  try {
    params = checkConnectParams(given);
  } catch (error) {
    return invalidParams(toWireError(error).message);
  }
  if (params.minProtocol > PROTOCOL || params.maxProtocol < PROTOCOL) return otherProtocol(params);
  if ((params.role ?? 'operator') !== 'operator') return WRONG_ROLE;
  const { allowedOrigins } = keeper.settings();
  const fault = findOriginFault(peer, { isPage: isPage(params.client), allowedOrigins });
  if (fault !== undefined) return wrongOrigin(fault);
  const lockedMs = keeper.failures.lockedFor(peer);
  if (lockedMs !== undefined) return tooManyFailures(lockedMs);
  const answer = await identify(keeper, peer, challenge, params);
  if (answer.kind === 'refused' && answer.isAttempt) keeper.failures.add(peer);
  return answer;
}

async function identify(
  keeper: Doorkeeper,
  peer: Peer,
  challenge: Challenge,
  params: ConnectParams,
): Promise<Admission | HandshakeRefusal> {
  const { client, device, auth = {}, scopes: asked = [], caps = [] } = params;
  const settings = keeper.settings();
  const grant = matchToken(auth.token, settings) ?? matchToken(auth.password, settings);
  const hasSecret = [auth.token, auth.password, auth.deviceToken].some(Boolean);
  const admitted = { kind: 'admitted', client, caps } as const;
  if (device === undefined) {
    if (!hasSecret) return DEVICE_REQUIRED;
    if (grant === undefined) return wrongToken(client, false);
    if (client.id === 'openclaw-control-ui') return PAGE_DEVICE_REQUIRED;
    return { ...admitted, ...grant, scopes: isProbe(client) ? [] : scopesWithin(grant, asked) };
  }
  const wrong = findDeviceFault(challenge, params, device, keeper.now());
  if (wrong !== undefined) return wrong;
  if (grant?.agentIds !== undefined) {
    // It would be let in with all rights later, by its key alone, if it were kept.
    return { ...admitted, ...grant, scopes: scopesWithin(grant, asked) };
  }
  return identifyDevice(keeper, peer, params, device, { hasSecret, grant });
}

async function identifyDevice(
  keeper: Doorkeeper,
  peer: Peer,
  params: ConnectParams,
  device: Device,
  shown: { readonly hasSecret: boolean; readonly grant: Grant | undefined },
): Promise<Admission | HandshakeRefusal> {
  const { devices, log } = keeper;
  const { address, isLocal } = peer;
  const { client, auth = {}, scopes: asked = [], caps = [] } = params;
  const { id: deviceId, publicKey } = device;
  const { hasSecret, grant } = shown;
  const isTrusted = grant !== undefined;
  const known = devices.find(deviceId);
  // Other clients may wait for approval without a token; a page would tell the person nothing of it.
  if (known === undefined && !hasSecret && isPage(client)) return NO_TOKEN;
  const own = [auth.deviceToken, auth.token].find((one) => one && known && devices.hasToken(known, one));
  if (hasSecret && !isTrusted && own === undefined) {
    const isDeviceToken =
      auth.deviceToken !== undefined && (auth.token ?? auth.deviceToken) === auth.deviceToken;
    return isDeviceToken ? WRONG_DEVICE_TOKEN : wrongToken(client, known !== undefined);
  }
  const facts = {
    deviceId,
    publicKey,
    name: client.displayName,
    clientId: client.id,
    clientMode: client.mode,
    platform: client.platform,
  };
  const approved = new Set(known?.scopes);
  if (known === undefined || !asked.every((scope) => hasScope(approved, scope as Scope))) {
    if (!isTrusted || !isLocal) {
      const { pending, isNew } = (await devices.request(facts, asked, address)) ?? {};
      if (isNew) log(`A device waits for approval: openbot devices approve ${pending!.requestId}`);
      const refusal = pairingRequired({
        reason: known === undefined ? 'not-paired' : 'scope-upgrade',
        deviceId,
        requestId: pending?.requestId,
        scopes: asked,
        approvedScopes: known?.scopes ?? [],
      });
      // Keys cost nothing: who has no secret and comes with ever new ones is held up. A device that asks again is not.
      return { ...refusal, isAttempt: !isTrusted && isNew !== false };
    }
    await devices.approve(facts, asked);
    if (known === undefined) log(`A device of this machine was approved: ${deviceId} (${client.id})`);
  }
  if (own !== undefined) await devices.noteSeen(deviceId);
  const deviceToken = own === undefined ? await devices.issueToken(deviceId) : undefined;
  // It was revoked meanwhile, and is one that is not known.
  if (own === undefined && deviceToken === undefined)
    return identifyDevice(keeper, peer, params, device, shown);
  return {
    kind: 'admitted',
    // The key of the device stands for itself; what else was shown must hold as long as the connection.
    via: own === undefined && grant !== undefined ? grant.via : 'device-token',
    credential: grant?.credential,
    client,
    caps,
    scopes: asked,
    deviceId,
    mayCommand: isTrusted || approved.has('operator.admin'),
    deviceToken,
  };
}

function findDeviceFault(
  challenge: Challenge,
  { client, auth = {}, role = 'operator', scopes = [] }: ConnectParams,
  { id, publicKey, signature, signedAt, nonce }: Device,
  now: number,
): HandshakeRefusal | undefined {
  if (deviceIdOf(publicKey) !== id) return DEVICE_FAULTS.id;
  if (Math.abs(now - signedAt) > OLDEST_SIGNATURE_MS) return DEVICE_FAULTS.expired;
  if (nonce === undefined || nonce === '') return DEVICE_FAULTS.noNonce;
  if (nonce !== challenge.nonce) return DEVICE_FAULTS.nonce;
  const { id: clientId, mode: clientMode, platform, deviceFamily } = client;
  const token = auth.token ?? auth.deviceToken ?? '';
  const signed = {
    deviceId: id,
    clientId,
    clientMode,
    role,
    scopes,
    signedAt,
    token,
    nonce,
    platform,
    deviceFamily,
  };
  return isSignedBy(publicKey, signature, signed) ? undefined : DEVICE_FAULTS.signature;
}

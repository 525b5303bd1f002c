/** How OpenClaw's gateway refuses a connection: the error of the response, and the code and reason of the close. */
import type { ConnectParams } from '../../gateway-protocol/connect-params.ts';
import { PROTOCOL } from '../../gateway-protocol/limits.ts';
import type { WireCode, WireError } from '../../gateway-protocol/wire-errors.ts';

export interface HandshakeRefusal {
  readonly kind: 'refused';
  readonly error: WireError;
  readonly close: readonly [code: number, reason: string];
  /** Counts as a failed attempt of its address. */
  readonly isAttempt?: boolean;
}

function refusal(
  code: WireCode,
  message: string,
  details?: WireError['details'],
  more: Partial<HandshakeRefusal> = {},
): HandshakeRefusal {
  return { kind: 'refused', error: { code, message, details }, close: [1008, message], ...more };
}

export const STARTING: HandshakeRefusal = {
  kind: 'refused',
  error: {
    code: 'UNAVAILABLE',
    message: 'gateway starting; retry shortly',
    details: { reason: 'startup-sidecars' },
    retryable: true,
    retryAfterMs: 500,
  },
  close: [1013, 'gateway starting'],
};

export const NOT_CONNECT = refusal('INVALID_REQUEST', 'invalid handshake: first request must be connect');
export const WRONG_ROLE = refusal('INVALID_REQUEST', 'invalid role');

export function invalidParams(message: string): HandshakeRefusal {
  return refusal('INVALID_REQUEST', message);
}

export function otherProtocol({ minProtocol, maxProtocol }: ConnectParams): HandshakeRefusal {
  const details = {
    code: 'PROTOCOL_MISMATCH',
    clientMinProtocol: minProtocol,
    clientMaxProtocol: maxProtocol,
    expectedProtocol: PROTOCOL,
    minimumProbeProtocol: 3,
  };
  return refusal('INVALID_REQUEST', 'protocol mismatch', details, { close: [1002, 'protocol mismatch'] });
}

export function wrongOrigin(reason: string): HandshakeRefusal {
  return refusal(
    'INVALID_REQUEST',
    'origin not allowed (open the Control UI from the gateway host or allow it in gateway.controlUi.allowedOrigins)',
    { code: 'CONTROL_UI_ORIGIN_NOT_ALLOWED', reason },
  );
}

export const DEVICE_REQUIRED = refusal('NOT_PAIRED', 'device identity required', {
  code: 'DEVICE_IDENTITY_REQUIRED',
});

export const PAGE_DEVICE_REQUIRED = refusal(
  'INVALID_REQUEST',
  'control ui requires device identity (use HTTPS or localhost secure context)',
  { code: 'CONTROL_UI_DEVICE_IDENTITY_REQUIRED' },
);

const deviceFault = (message: string, code: string, reason: string, more: Partial<HandshakeRefusal> = {}) =>
  refusal('INVALID_REQUEST', message, { code: `DEVICE_AUTH_${code}`, reason }, more);

export const DEVICE_FAULTS = {
  id: deviceFault('device identity mismatch', 'DEVICE_ID_MISMATCH', 'device-id-mismatch'),
  expired: deviceFault('device signature expired', 'SIGNATURE_EXPIRED', 'device-signature-stale'),
  noNonce: deviceFault('device nonce required', 'NONCE_REQUIRED', 'device-nonce-missing'),
  nonce: deviceFault('device nonce mismatch', 'NONCE_MISMATCH', 'device-nonce-mismatch'),
  signature: deviceFault('device signature invalid', 'SIGNATURE_INVALID', 'device-signature', {
    isAttempt: true,
  }),
};

/** @param hasDevice it may have a token of its own, and try with that one */
export function wrongToken({ id, mode }: ConnectParams['client'], hasDevice: boolean): HandshakeRefusal {
  const advice =
    id === 'cli' || mode === 'cli'
      ? "use this gateway's gateway.auth.token or pair the device"
      : id === 'openclaw-control-ui' || mode === 'webchat'
        ? 'open the dashboard URL and paste the token in Control UI settings'
        : 'provide gateway auth token';
  return refusal(
    'INVALID_REQUEST',
    `unauthorized: gateway token mismatch (${advice})`,
    {
      code: 'AUTH_TOKEN_MISMATCH',
      authReason: 'token_mismatch',
      canRetryWithDeviceToken: hasDevice,
      recommendedNextStep: hasDevice ? 'retry_with_device_token' : 'update_auth_credentials',
    },
    { isAttempt: true },
  );
}

/** A page asks the person for it. */
export const NO_TOKEN = refusal(
  'INVALID_REQUEST',
  'unauthorized: gateway token missing (paste it in Control UI settings)',
  {
    code: 'AUTH_TOKEN_MISSING',
    authReason: 'token_missing',
    canRetryWithDeviceToken: false,
    recommendedNextStep: 'update_auth_credentials',
  },
);

export const WRONG_DEVICE_TOKEN = refusal(
  'INVALID_REQUEST',
  'unauthorized: device token mismatch (rotate/reissue device token)',
  {
    code: 'AUTH_DEVICE_TOKEN_MISMATCH',
    authReason: 'device_token_mismatch',
    canRetryWithDeviceToken: false,
    recommendedNextStep: 'update_auth_credentials',
  },
  { isAttempt: true },
);

export function tooManyFailures(retryAfterMs: number): HandshakeRefusal {
  const message = 'unauthorized: too many failed authentication attempts (retry later)';
  const details = {
    code: 'AUTH_RATE_LIMITED',
    authReason: 'rate_limited',
    canRetryWithDeviceToken: false,
    recommendedNextStep: 'wait_then_retry',
  };
  return {
    kind: 'refused',
    error: { code: 'INVALID_REQUEST', message, details, retryable: true, retryAfterMs },
    close: [1008, message],
  };
}

export interface PairingNeed {
  readonly reason: 'not-paired' | 'scope-upgrade';
  readonly deviceId: string;
  /** Undefined when too many devices wait. */
  readonly requestId?: string;
  readonly scopes: readonly string[];
  readonly approvedScopes: readonly string[];
}

export function pairingRequired(need: PairingNeed): HandshakeRefusal {
  const { reason, requestId, deviceId } = need;
  const why =
    reason === 'not-paired'
      ? 'device is not approved yet'
      : 'device is asking for more scopes than currently approved';
  const message = `pairing required: ${why}`;
  const details = {
    code: 'PAIRING_REQUIRED',
    reason,
    requestId,
    deviceId,
    requestedRole: 'operator',
    requestedScopes: need.scopes,
    approvedScopes: need.approvedScopes,
    remediationHint:
      requestId === undefined
        ? 'Too many devices wait for approval. On the machine of the gateway: openbot devices list'
        : `On the machine of the gateway: openbot devices approve ${requestId}`,
  };
  const close = requestId === undefined ? message : `${message} (requestId: ${requestId})`;
  return refusal('NOT_PAIRED', message, details, { close: [1008, close] });
}

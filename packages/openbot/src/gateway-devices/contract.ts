/** A program that proved to have a key, and asked to connect or may do so. */
export interface DeviceFacts {
  /** SHA-256 of its public key, hex. */
  readonly deviceId: string;
  /** Ed25519, raw, base64url. */
  readonly publicKey: string;
  /** What it calls itself. */
  readonly name?: string;
  readonly clientId: string;
  readonly clientMode: string;
  readonly platform?: string;
}

/** It may connect without the token of the gateway, with these scopes at most. */
export interface ApprovedDevice extends DeviceFacts {
  readonly scopes: readonly string[];
  /** ms */
  readonly approvedAtMs: number;
  /** ms; of about the last time, since it is not written at each one. */
  readonly lastSeenAtMs?: number;
}

/** It waits until the owner of the gateway approves it. */
export interface PendingDevice extends DeviceFacts {
  readonly requestId: string;
  /** What it may do once it is approved. */
  readonly scopes: readonly string[];
  readonly address?: string;
  /** ms */
  readonly requestedAtMs: number;
}

export interface DeviceList {
  readonly approved: readonly ApprovedDevice[];
  readonly pending: readonly PendingDevice[];
}

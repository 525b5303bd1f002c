/** How a client proves that it is a device: it signs the challenge with its Ed25519 key. */
import { createHash, createPublicKey, verify } from 'node:crypto';

export interface SignedConnect {
  readonly deviceId: string;
  readonly clientId: string;
  readonly clientMode: string;
  readonly role: string;
  readonly scopes: readonly string[];
  /** ms, that of the challenge. */
  readonly signedAt: number;
  readonly token: string;
  readonly nonce: string;
  readonly platform?: string;
  readonly deviceFamily?: string;
}

/** What version 2 signs, and what version 3 does. A gateway accepts both. */
export function signedTexts(connect: SignedConnect): readonly [v2: string, v3: string] {
  const { deviceId, clientId, clientMode, role, scopes, signedAt, token, nonce } = connect;
  const fields = [deviceId, clientId, clientMode, role, scopes.join(','), signedAt, token, nonce].join('|');
  return [`v2|${fields}`, `v3|${fields}|${plain(connect.platform)}|${plain(connect.deviceFamily)}`];
}

function plain(value = ''): string {
  return value.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const RAW_KEY_BYTES = 32;
/** In front of a raw Ed25519 key it makes the DER form that Node reads. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The id of the device that has this key (base64url); undefined for what is no key. */
export function deviceIdOf(publicKey: string): string | undefined {
  const raw = rawKey(publicKey);
  return raw && createHash('sha256').update(raw).digest('hex');
}

export function isSignedBy(publicKey: string, signature: string, connect: SignedConnect): boolean {
  const raw = rawKey(publicKey);
  if (raw === undefined) return false;
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' });
    const given = Buffer.from(signature, 'base64url');
    return signedTexts(connect).some((words) => verify(null, Buffer.from(words), key, given));
  } catch {
    return false;
  }
}

function rawKey(publicKey: string): Buffer | undefined {
  const bytes = Buffer.from(publicKey, 'base64url');
  return bytes.length === RAW_KEY_BYTES ? bytes : undefined;
}

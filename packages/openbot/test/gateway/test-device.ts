/** A device that signs challenges as OpenClaw's clients do. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { connectParams, type TestClient, TOKEN } from './test-server.ts';

export interface TestDevice {
  readonly deviceId: string;
  readonly publicKey: string;
  sign(text: string): string;
}

/** @param seed decides the key */
export function makeDevice(seed: string): TestDevice {
  const raw = createHash('sha256').update(seed).digest();
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), raw]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicBytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    deviceId: createHash('sha256').update(publicBytes).digest('hex'),
    publicKey: publicBytes.toString('base64url'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  };
}

interface DeviceConnect {
  readonly scopes?: readonly string[];
  readonly auth?: { readonly token?: string; readonly deviceToken?: string };
  readonly client?: { readonly id: string; readonly mode: string };
  readonly version?: 'v2' | 'v3';
  /** In the place of what is right. */
  readonly wrong?: Partial<Record<'id' | 'signature' | 'nonce', string>> & { readonly signedAt?: number };
}

/** The params of a connect that answers the challenge of this client. */
export async function signConnect(
  client: TestClient,
  device: TestDevice,
  {
    scopes = ['operator.read'],
    auth = { token: TOKEN },
    client: who = { id: 'openclaw-tui', mode: 'ui' },
    version = 'v3',
    wrong = {},
  }: DeviceConnect = {},
): Promise<object> {
  const { payload } = await client.event('connect.challenge');
  const signedAt = wrong.signedAt ?? payload.ts;
  const token = auth.token ?? auth.deviceToken ?? '';
  const fields = [
    version,
    device.deviceId,
    who.id,
    who.mode,
    'operator',
    scopes.join(','),
    signedAt,
    token,
    payload.nonce,
  ];
  const text = [...fields, ...(version === 'v3' ? ['linux', 'linux'] : [])].join('|');
  return connectParams({
    client: { ...who, version: '2026.9.6', platform: 'linux', deviceFamily: 'Linux' },
    scopes,
    auth,
    device: {
      id: wrong.id ?? device.deviceId,
      publicKey: device.publicKey,
      signature: wrong.signature ?? device.sign(text),
      signedAt,
      nonce: wrong.nonce ?? payload.nonce,
    },
  });
}

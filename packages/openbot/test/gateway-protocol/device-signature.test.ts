import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { deviceIdOf, isSignedBy, signedTexts } from '../../src/gateway-protocol/device-signature.ts';

const { deviceId, publicKey, input, v2, v3 } = JSON.parse(
  readFileSync(
    new URL('../../../../fixtures/openclaw-gateway/device-signature.json', import.meta.url),
    'utf8',
  ),
);
const connect = { ...input, deviceId };

describe('the signature of a device that the real gateway accepted', () => {
  test('the id is that of the key', () => {
    expect(deviceIdOf(publicKey)).toBe(deviceId);
    expect(deviceIdOf(publicKey.slice(1))).toBeUndefined();
  });

  test('the texts are those that it signed', () => {
    expect(signedTexts(connect)).toEqual([v2.payload, v3.payload]);
  });

  test.each(['v2', 'v3'] as const)('%s is accepted', (version) => {
    expect(isSignedBy(publicKey, { v2, v3 }[version].signature, connect)).toBe(true);
  });

  test.each<[string, object]>([
    ['another nonce', { nonce: 'another' }],
    ['another token', { token: '' }],
    ['more scopes', { scopes: [...input.scopes, 'operator.admin'] }],
    ['another client', { clientId: 'cli' }],
    ['another time', { signedAt: input.signedAt + 1 }],
  ])('%s is not what was signed', (_, change) => {
    for (const { signature } of [v2, v3])
      expect(isSignedBy(publicKey, signature, { ...connect, ...change })).toBe(false);
  });

  test('another platform is not what version 3 signed', () => {
    expect(isSignedBy(publicKey, v3.signature, { ...connect, platform: 'win32' })).toBe(false);
    expect(isSignedBy(publicKey, v2.signature, { ...connect, platform: 'win32' })).toBe(true);
  });

  test.each(['', 'AAAA', 'not base64!'])('%j is no signature', (signature) => {
    expect(isSignedBy(publicKey, signature, connect)).toBe(false);
    expect(isSignedBy(signature, v2.signature, connect)).toBe(false);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../setup/manual-clock.ts';
import { makeDevice, signConnect } from './test-device.ts';
import {
  connectParams,
  type Frame,
  startGateway,
  TestClient,
  type TestGateway,
  TOKEN,
} from './test-server.ts';

interface Case {
  readonly case: string;
  readonly ok?: true;
  readonly error?: object;
  readonly close?: readonly [number, string];
}

const { cases } = JSON.parse(
  readFileSync(
    new URL('../../../../fixtures/openclaw-gateway/handshake-errors.json', import.meta.url),
    'utf8',
  ),
) as { cases: readonly Case[] };

const CLIENT = { version: '2026.9.6', platform: 'linux' };
const PAGE = { ...CLIENT, id: 'openclaw-control-ui', mode: 'webchat' };
const device = makeDevice('handshake');

type Attempt = {
  readonly headers?: (gateway: TestGateway) => Record<string, string>;
  readonly params?: (client: TestClient) => object | Promise<object>;
  readonly firstFrame?: string;
  /** What is not OpenClaw's, and why is said in docs/gateway.md. */
  readonly isAllowedHere?: true;
  readonly isStarting?: true;
  readonly passMs?: number;
  readonly scopes?: readonly string[];
};

/** What makes each case of the fixture happen. */
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'no auth, no device': { params: () => connectParams({ auth: undefined }) },
  'wrong token': { params: () => connectParams({ auth: { token: 'wrong' } }) },
  'token sent as auth.password': { params: () => connectParams({ auth: { password: TOKEN } }) },
  'protocol 3..3 or 5..5': { params: () => connectParams({ minProtocol: 3, maxProtocol: 3 }) },
  'protocol 3..5': { params: () => connectParams({ minProtocol: 3, maxProtocol: 5 }) },
  'client.id or client.mode outside the list': {
    params: () => connectParams({ client: { ...CLIENT, id: 'another', mode: 'cli' } }),
  },
  'client missing': { params: () => connectParams({ client: undefined }) },
  'unknown property in params': { params: () => connectParams({ foo: 1 }), isAllowedHere: true },
  "role 'boss'": { params: () => connectParams({ role: 'boss' }) },
  'unknown scope in scopes': {
    params: () => connectParams({ scopes: ['operator.read', 'operator.dance'] }),
    scopes: ['operator.read', 'operator.dance'],
  },
  'no scopes': { params: () => connectParams({ scopes: undefined }), scopes: [] },
  'client.mode probe or test without device': {
    params: () => connectParams({ client: { ...CLIENT, id: 'cli', mode: 'probe' } }),
    scopes: [],
  },
  'client.id cli or gateway-client on loopback with the token, without device': {
    params: () => connectParams({ client: { ...CLIENT, id: 'gateway-client', mode: 'backend' } }),
    scopes: ['operator.admin', 'operator.read', 'operator.write'],
  },
  'client.id webchat-ui without Origin': {
    params: () => connectParams({ client: { ...CLIENT, id: 'webchat-ui', mode: 'webchat' } }),
  },
  'any client with a foreign Origin': {
    headers: () => ({ origin: 'http://evil.example' }),
    params: () => connectParams(),
  },
  'openclaw-control-ui, good Origin, no device': {
    headers: ({ httpUrl }) => ({ origin: httpUrl }),
    params: () => connectParams({ client: PAGE }),
  },
  'device signature wrong': {
    params: (client) => signConnect(client, device, { wrong: { signature: device.sign('something else') } }),
  },
  'device nonce wrong': {
    params: (client) => signConnect(client, device, { wrong: { nonce: 'another' } }),
  },
  'device id is not the hash of the key': {
    params: (client) => signConnect(client, device, { wrong: { id: 'f'.repeat(64) } }),
  },
  'signedAt one hour old': {
    params: async (client) => {
      const { ts } = (await client.event('connect.challenge')).payload;
      return signConnect(client, device, { wrong: { signedAt: ts - 3_600_000 } });
    },
  },
  'first frame is another method': { firstFrame: '{"type":"req","id":"1","method":"health"}' },
  'first frame is not JSON': { firstFrame: 'hello' },
  'first frame over 65,536 bytes': { firstFrame: `"${'x'.repeat(65_536)}"` },
  'no frame for 15 s': { passMs: 15_000 },
  'gateway still starting': { params: () => connectParams(), isStarting: true },
};

test('each case of the fixture has an attempt', () => {
  expect(Object.keys(ATTEMPTS).sort()).toEqual(cases.map((one) => one.case).sort());
});

describe('a handshake that OpenClaw answers so', () => {
  test.each(cases)('$case', async ({ case: name, ok, error, close }) => {
    const { headers, params, firstFrame, isAllowedHere, isStarting, passMs, scopes } = ATTEMPTS[name]!;
    const clock = new ManualClock(4_000_000_000);
    const gateway = await startGateway({ isStarting, clock });
    const client = new TestClient(gateway.url, headers?.(gateway));
    let answer: Frame | undefined;
    if (params !== undefined) answer = await client.connect(await params(client));
    else {
      await client.event('connect.challenge');
      if (firstFrame !== undefined) client.sendText(firstFrame);
      if (passMs !== undefined) await clock.advance(passMs);
    }
    if (ok || isAllowedHere) {
      expect(answer).toMatchObject({ ok: true, payload: { type: 'hello-ok', protocol: 4 } });
      if (scopes !== undefined) expect(answer?.payload.auth.scopes).toEqual(scopes);
      return;
    }
    const closed = await client.closed;
    expect(closed[0]).toBe(close![0]);
    // A fixture leaves out the end of a long text.
    expect(closed[1]).toMatch(startOf(close![1]));
    const refusal = client.frames.find(({ type }) => type === 'res');
    if (error === undefined) expect(refusal).toBeUndefined();
    else {
      const { message, ...rest } = error as { message: string };
      expect(refusal).toMatchObject({ ok: false, error: rest });
      expect(refusal?.error?.message).toMatch(startOf(message));
    }
  });
});

function startOf(text: string): RegExp {
  const [start = '', end] = text.split('…');
  const literal = start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(end === undefined ? `^${literal}$` : `^${literal}`);
}

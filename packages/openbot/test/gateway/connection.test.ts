import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../setup/manual-clock.ts';
import { connectParams, MAIN_TOKEN, openClient, startGateway, TestClient, until } from './test-server.ts';

describe('a connection that said hello', () => {
  test('hello-ok says what is there and what holds', async () => {
    const gateway = await startGateway({
      describe: ({ isOwner }) => ({ ...(isOwner && { stateDir: '/state' }) }),
    });
    const client = new TestClient(gateway.url);
    const { payload } = await client.connect(connectParams());
    expect(payload).toMatchObject({
      type: 'hello-ok',
      protocol: 4,
      server: { version: '0.0.0', connId: expect.any(String) },
      features: {
        methods: expect.arrayContaining(['test.echo', 'health']),
        events: expect.arrayContaining([
          'chat',
          'agent',
          'session.message',
          'sessions.changed',
          'health',
          'presence',
          'tick',
          'shutdown',
        ]),
        capabilities: ['published-model-catalog'],
      },
      snapshot: { stateDir: '/state', health: {}, stateVersion: { health: 1 } },
      auth: {
        method: 'token',
        role: 'operator',
        scopes: ['operator.admin', 'operator.read', 'operator.write'],
      },
      policy: {
        maxPayload: 26_214_400,
        maxBufferedBytes: 52_428_800,
        tickIntervalMs: 30_000,
        attachments: { maxBytes: 19_464_192, maxImageBytes: 6_291_456 },
      },
    });
    expect(payload.features.events).not.toContain('session.operation');
    expect(payload.features.methods).not.toContain('test.throw');
    expect(payload.auth).not.toHaveProperty('deviceToken');
    expect(payload.snapshot.presence.map(({ mode }: { mode: string }) => mode)).toEqual(['gateway', 'cli']);
  });

  test('frames are answered as OpenClaw answers them', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway);
    client.sendText('not JSON');
    client.sendText('{"type":"req","method":"test.echo"}');
    const invalid = await client.find(({ id }) => id === 'invalid');
    expect(invalid).toEqual({
      type: 'res',
      id: 'invalid',
      ok: false,
      error: { code: 'INVALID_REQUEST', message: "invalid request frame: must have required property 'id'" },
    });
    client.socket.send(
      Buffer.from('{"type":"req","id":"binary","method":"test.echo","params":null}') as never,
    );
    expect(await client.find(({ id }) => id === 'binary')).toMatchObject({ ok: true });
    const twice = '{"type":"req","id":"twice","method":"test.echo"}';
    client.sendText(twice);
    client.sendText(twice);
    await until(() => client.frames.filter(({ id }) => id === 'twice').length === 2);
    expect((await client.request('nope.nope')).error).toEqual({
      code: 'INVALID_REQUEST',
      message: 'unknown method: nope.nope',
    });
    expect((await client.request('test.write', { keys: 1 })).error?.message).toBe(
      'invalid test.write params: at /keys: must be array',
    );
    expect((await client.request('test.throw')).error).toEqual({
      code: 'UNAVAILABLE',
      message: 'internal error',
    });
    expect((await client.request('test.loop')).error).toEqual({
      code: 'UNAVAILABLE',
      message: 'internal error',
    });
    expect(gateway.lines.join()).toContain('a secret detail');
  });

  test('a method above the scopes is refused before its params are looked at', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway, { scopes: ['operator.read'] });
    expect((await client.request('test.write', { keys: 1 })).error).toEqual({
      code: 'FORBIDDEN',
      message: 'missing scope: operator.write',
      details: { code: 'MISSING_SCOPE', missingScope: 'operator.write', requiredScopes: ['operator.write'] },
    });
    expect((await client.request('nope.nope')).error).toMatchObject({
      code: 'FORBIDDEN',
      message: 'missing scope: operator.admin',
    });
  });

  test('answers come when they are ready, the second of two with the same id', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway);
    expect((await client.request('test.wait')).payload).toEqual({ status: 'accepted' });
    const { id } = client.frames.at(-1)!;
    expect((await client.request('test.echo')).ok).toBe(true);
    gateway.services.gate.resolve();
    await client.find((frame) => frame.id === id && frame.payload.status === 'ok');
  });

  test('frames up to the limit are read, and a larger one closes the connection', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway);
    const big = { type: 'req', id: 'big', method: 'test.echo', params: { x: 'x'.repeat(100_000) } };
    client.sendText(JSON.stringify(big));
    expect(await client.find(({ id }) => id === 'big')).toMatchObject({ ok: true });
    client.sendText(`"${'x'.repeat(26_214_400)}"`);
    expect(await client.closed).toEqual([1009, '']);
  });

  test('too many requests at a time are refused, and those under way go on', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway);
    const requests = Array.from({ length: 257 }, () => client.request('test.wait'));
    expect((await requests.at(-1))?.error).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    gateway.services.gate.resolve();
    await until(() => client.frames.filter(({ payload }) => payload?.status === 'ok').length === 256);
  });

  test('ticks and pings come, and one that answers no ping is cut off', async () => {
    const clock = new ManualClock();
    const gateway = await startGateway({ clock });
    const client = await openClient(gateway);
    await clock.advance(30_000);
    expect(await client.event('tick')).toMatchObject({ payload: { ts: clock.now() } });
    const deaf = await openClient(gateway);
    await until(() => gateway.presence().length === 3);
    deaf.socket.pause();
    for (let n = 0; n < 3; n++) {
      const count = client.frames.length;
      await clock.advance(30_000);
      await client.find(({ event }) => event === 'tick', count);
      // Its pong is back before the next one.
      await client.request('test.echo');
    }
    await until(() => gateway.presence().length === 2);
  });

  test('health comes after hello and from time to time', async () => {
    const clock = new ManualClock();
    const gateway = await startGateway({ clock });
    const client = await openClient(gateway);
    expect(await client.event('health')).toMatchObject({
      payload: { ok: true },
      stateVersion: { health: 1 },
    });
    await clock.advance(60_000);
    await client.find((frame) => (frame as { stateVersion?: { health: number } }).stateVersion?.health === 2);
  });

  test('the end of the gateway is told, and is a restart for clients', async () => {
    const gateway = await startGateway();
    const clients = [await openClient(gateway), await openClient(gateway, { scopes: [] })];
    const waiting = clients[0]!.request('test.wait');
    await gateway.close({
      settle: async () => {
        expect((await fetch(`${gateway.httpUrl}/readyz`)).status).toBe(503);
        await expect(openClient(gateway)).rejects.toThrow('closed');
        gateway.services.gate.resolve();
        await waiting;
        await clients[0]!.find(({ payload }) => payload?.status === 'ok');
      },
    });
    for (const client of clients) {
      expect(client.frames.at(-1)).toMatchObject({
        event: 'shutdown',
        payload: { reason: 'gateway stopping' },
      });
      expect(await client.closed).toEqual([1012, 'service restart']);
    }
  });

  test('calls with the rights of the owner are in the audit log, without their secrets', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway);
    await client.request('test.admin', { key: 'agent:main:main', secret: 'do not write this' });
    await client.request('test.admin', { key: 7 });
    await client.request('test.echo', { key: 'not of the owner' });
    const path = join(gateway.stateDir, 'logs', 'gateway-audit.jsonl');
    // A gateway that is killed meanwhile leaves what was begun.
    void client.request('test.adminWait', { sessionKey: 'agent:main:lasts' }).catch(() => {});
    await until(() => readFileSync(path, 'utf8').includes('agent:main:lasts'));
    await gateway.close();
    const lines = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { method: 'test.admin', about: { key: 'agent:main:main' }, outcome: 'begun' },
      {
        callId: lines[0].callId,
        method: 'test.admin',
        about: { key: 'agent:main:main' },
        outcome: 'ok',
        address: '127.0.0.1',
        client: { id: 'cli' },
      },
      { method: 'test.admin', about: {}, outcome: 'begun' },
      { method: 'test.admin', about: {}, outcome: 'INVALID_REQUEST' },
      { method: 'test.adminWait', about: { sessionKey: 'agent:main:lasts' }, outcome: 'begun' },
    ]);
    expect(readFileSync(path, 'utf8')).not.toContain('do not write this');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

test('calls that are refused do not push others out of the audit log', async () => {
  const clock = new ManualClock();
  const gateway = await startGateway({ clock });
  const client = await openClient(gateway, { auth: { token: MAIN_TOKEN } });
  for (let n = 0; n < 50; n++) await client.request('test.admin', { key: 'agent:main:main' });
  await clock.advance(60_000);
  await client.request('test.admin');
  await gateway.close();
  const text = readFileSync(join(gateway.stateDir, 'logs', 'gateway-audit.jsonl'), 'utf8');
  const who = { via: 'agent-token', agentIds: ['main'], outcome: 'refused', method: 'test.admin' };
  const lines = text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([who, { ...who, more: 49 }]);
});

describe('events', () => {
  const names = ({ frames }: TestClient) =>
    frames.flatMap(({ event, payload }) =>
      event === 'chat' || event === 'agent' || event?.startsWith('session') ? [payload.n] : [],
    );

  test('go to those who may hear them and asked for them, each with a seq of its own', async () => {
    const gateway = await startGateway();
    const { hub } = gateway;
    const all = await openClient(gateway, { caps: ['tool-events'] });
    const noRights = await openClient(gateway, { scopes: [] });
    const subscribed = await openClient(gateway);
    await subscribed.request('test.subscribe', {});
    const ofOne = await openClient(gateway);
    await ofOne.request('test.subscribe', { address: 'main|one' });
    const ofMain = await openClient(gateway, { auth: { token: MAIN_TOKEN } });
    await ofMain.request('test.subscribe', {});

    const to = { to: 'messages', address: 'main|one' } as const;
    hub.publish({ event: 'chat', payload: { n: 'chat of main' }, agentId: 'main' });
    hub.publish({ event: 'chat', payload: { n: 'chat of other' }, agentId: 'other' });
    hub.publish({ event: 'agent', payload: { n: 'tool' }, agentId: 'main', cap: 'tool-events' });
    hub.publish({
      event: 'sessions.changed',
      payload: { n: 'changed' },
      agentId: 'main',
      audience: { to: 'sessions' },
    });
    hub.publish({ event: 'session.message', payload: { n: 'message' }, agentId: 'main', audience: to });
    hub.publish({
      event: 'session.message',
      payload: { n: 'elsewhere' },
      agentId: 'other',
      audience: { ...to, address: 'other|two' },
    });
    for (const client of [all, noRights, subscribed, ofOne, ofMain]) await client.request('test.echo');

    expect(names(all)).toEqual(['chat of main', 'chat of other', 'tool']);
    expect(names(noRights)).toEqual([]);
    expect(names(subscribed)).toEqual(['chat of main', 'chat of other', 'changed', 'message', 'elsewhere']);
    expect(names(ofOne)).toEqual(['chat of main', 'chat of other', 'message']);
    expect(names(ofMain)).toEqual(['chat of main', 'changed', 'message']);
    for (const { frames } of [all, subscribed, ofOne]) {
      const seqs = frames.flatMap(({ seq }) => seq ?? []);
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    }
    expect(hub.hasListener({ audience: { to: 'sessions' }, agentId: 'other' })).toBe(true);
    expect(hub.hasListener({ cap: 'another' })).toBe(false);
    subscribed.socket.close();
    await until(() => !hub.hasListener({ audience: { to: 'sessions' }, agentId: 'other' }));
    expect(hub.hasListener({ audience: { to: 'sessions' }, agentId: 'main' })).toBe(true);
  });

  test('of a session end with its subscription, and there are so many subscriptions at most', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway);
    const listens = (address: string) => gateway.hub.hasListener({ audience: { to: 'messages', address } });
    const ids = Array.from({ length: 1_001 }, (_, n) => `main|${n}`);
    const answers = await Promise.all(
      ids.slice(0, 200).map((address) => client.request('test.subscribe', { address })),
    );
    for (const address of ids.slice(200)) answers.push(await client.request('test.subscribe', { address }));
    expect(answers.filter(({ ok }) => !ok)).toEqual([answers.at(-1)]);
    expect([listens('main|0'), listens('main|1000')]).toEqual([true, false]);
    await client.request('test.subscribe', { address: 'main|0', isOver: true });
    expect(listens('main|0')).toBe(false);
  });

  test('presence is for clients of the whole gateway', async () => {
    const gateway = await startGateway();
    const client = await openClient(gateway);
    const ofMain = await openClient(gateway, { auth: { token: MAIN_TOKEN } });
    const { payload, seq } = await client.find(
      ({ event, payload }) => event === 'presence' && payload.presence.length === 3,
    );
    expect(payload.presence[1]).toMatchObject({ ip: '127.0.0.1', mode: 'cli', reason: 'connect' });
    expect(seq).toBeGreaterThan(0);
    await ofMain.request('test.echo');
    expect(ofMain.frames.some(({ event }) => event === 'presence' || event === 'health')).toBe(false);
  });

  test('presence is not told for connections that never said hello', async () => {
    const clock = new ManualClock();
    const gateway = await startGateway({ clock });
    const client = await openClient(gateway);
    await clock.advance(1_000);
    await client.event('presence');
    for (let n = 0; n < 5; n++) {
      const stranger = new TestClient(gateway.url);
      await stranger.event('connect.challenge');
      stranger.sendText('no frame');
      await stranger.closed;
    }
    await clock.advance(1_000);
    await client.request('test.echo');
    expect(client.frames.filter(({ event }) => event === 'presence')).toHaveLength(1);
  });

  test('presence of as many clients as there may be fits into a frame, whatever they call themselves', async () => {
    const gateway = await startGateway();
    // What takes the most room as JSON.
    const long = '\u0000'.repeat(200);
    const client = {
      id: 'gateway-client',
      mode: 'backend',
      displayName: long,
      version: long,
      platform: long,
      deviceFamily: long,
      instanceId: long,
    };
    const scopes = Array.from({ length: 32 }, () => '\u0000'.repeat(64));
    await openClient(gateway, { client, scopes });
    const [, entry] = gateway.presence();
    expect(1_000 * JSON.stringify(entry).length).toBeLessThan(25_000_000);
    const refuse = async (more: object) =>
      (await new TestClient(gateway.url).connect(connectParams(more))).error?.message;
    for (const name of ['displayName', 'version', 'platform', 'deviceFamily', 'instanceId'])
      expect(await refuse({ client: { ...client, [name]: `${long}x` } })).toBe(
        `invalid connect params: at /client/${name}: must NOT have more than 200 characters`,
      );
    expect(await refuse({ scopes: ['x'.repeat(65)] })).toContain('at /scopes/0: must NOT have more than 64');
    expect(await refuse({ scopes: Array(33).fill('x') })).toContain('at /scopes: must NOT have more than 32');
  });

  test('a client that reads nothing loses what can be lost, then its connection; others notice nothing', async () => {
    // Time stands still, so that the closing frame is what ends the connection.
    const gateway = await startGateway({ clock: new ManualClock(), settings: { metrics: true } });
    const reader = await openClient(gateway);
    const slow = await openClient(gateway);
    await slow.request('test.subscribe', {});
    slow.socket.pause();
    const mib = 'x'.repeat(1024 * 1024);
    const publish = (isDroppable: boolean) =>
      gateway.hub.publish({
        event: 'session.message',
        payload: { mib },
        audience: { to: 'sessions' },
        isDroppable,
      });
    let sent = 0;
    // What the system holds for a connection is not the same on all machines.
    for (; gateway.presence().length === 3 && sent < 200; sent++) {
      publish(false);
      publish(true);
      expect((await reader.request('test.echo')).ok).toBe(true);
    }
    expect(sent).toBeLessThan(200);
    expect(sent).toBeGreaterThan(50);
    const text = await (
      await fetch(`${gateway.httpUrl}/metrics`, {
        headers: { authorization: 'Bearer a-token-of-full-rights' },
      })
    ).text();
    expect(text).toMatch(/slow_consumers_total 1\n/);
    expect(Number(/events_dropped_total (\d+)/.exec(text)?.[1])).toBeGreaterThan(40);
    slow.socket.resume();
    expect(await slow.closed).toEqual([1008, 'slow consumer']);
    const seqs = slow.frames.flatMap(({ seq }) => seq ?? []);
    expect(seqs.length).toBeLessThan(seqs.at(-1)!);
  });
});

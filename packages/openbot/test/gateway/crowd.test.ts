import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { HUNT, isTorture, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import {
  connectParams,
  openClient,
  startGateway,
  TestClient,
  type TestGateway,
  TOKEN,
  until,
} from './test-server.ts';

describe('many clients at a time', () => {
  test('200, of which one reads nothing, one sends garbage, and one opens and closes', async () => {
    const gateway = await startGateway({ settings: { metrics: true } });
    const readers = await Promise.all(Array.from({ length: 197 }, () => openClient(gateway)));
    const deaf = await openClient(gateway);
    await deaf.request('test.subscribe', { address: 'main|deaf' });
    deaf.socket.pause();
    const audience = { to: 'messages', address: 'main|deaf' } as const;
    const much = 'x'.repeat(2 * 1024 * 1024);
    const wild = await openClient(gateway);
    for (let n = 0; n < 50; n++) {
      wild.sendText(`{"type":"req","id":${n}`);
      wild.sendText(JSON.stringify({ type: 'res', n }));
      const fickle = n % 2 === 0 ? new TestClient(gateway.url) : await openClient(gateway);
      gateway.hub.publish({ event: 'chat', payload: { n }, agentId: 'main' });
      // More than a connection may hold back, for it alone.
      gateway.hub.publish({ event: 'session.message', payload: { much }, audience });
      gateway.hub.publish({ event: 'session.message', payload: { much }, audience, isDroppable: true });
      fickle.socket.terminate();
    }
    await Promise.all(readers.map((client) => client.request('test.echo')));
    for (const { frames } of readers) {
      const heard = frames.flatMap(({ event, payload }) => (event === 'chat' ? [payload.n] : []));
      expect(heard).toEqual(Array.from({ length: 50 }, (_, n) => n));
      const seqs = frames.flatMap(({ seq }) => seq ?? []);
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    }
    await wild.request('test.echo');
    await until(() => gateway.presence().length === 199);
    const metrics = await fetch(`${gateway.httpUrl}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const figures = await metrics.text();
    expect(figures).toMatch(/slow_consumers_total 1\n/);
    expect(Number(/events_dropped_total (\d+)/.exec(figures)?.[1])).toBeGreaterThan(10);
  });
});

describe('frames that no client sends', () => {
  test('break nothing and leave nothing', HUNT, async () => {
    // Time stands still: no tick comes between what is compared.
    const lines = new Set<string>();
    const log = (line: string) => void lines.add(line.split('\n')[0]!);
    const gateway = await startGateway({ clock: new ManualClock(), log });
    const chance = makeChance();
    const control = await openClient(gateway);
    const socketsBefore = countSockets();
    const count = tries({ gate: 1000, torture: 100_000 });
    const perConnection = 500;
    const rounds = Math.ceil(count / perConnection);
    let settled = 0;
    for (let round = 0; round < rounds; round++) {
      const client = await openClient(gateway);
      for (let n = 0; n < perConnection; n++) client.sendText(makeFrame(chance));
      // Its answer says that all frames before it were looked at.
      expect((await client.request('test.echo')).ok).toBe(true);
      client.socket.close();
      await client.closed;
      client.frames.length = 0;
      if (round % 10 === 0) await breakConnection(gateway, chance);
      if (round === Math.floor(rounds / 4)) settled = heapAfterCollection();
    }
    expect((await control.request('test.echo')).ok).toBe(true);
    await until(() => gateway.presence().length === 2);
    const leftPerFrame = (heapAfterCollection() - settled) / (count * 0.75);
    // A frame that stayed would be 200 bytes at least. Of a few frames, other things in the process are the larger part.
    if (isTorture) expect(leftPerFrame).toBeLessThan(100);
    await until(() => countSockets() <= socketsBefore);
    expect([...lines]).toEqual(['test.throw failed: TypeError: a secret detail']);
  });
});

const VALID = [
  { type: 'req', id: 'a', method: 'test.echo', params: { x: [1, 'two', null] } },
  { type: 'req', id: 'b', method: 'test.write', params: { keys: ['main'] } },
  { type: 'req', id: 'c', method: 'test.admin', params: {} },
  { type: 'req', id: 'd', method: 'connect', params: connectParams() },
  { type: 'req', id: 'e', method: 'test.throw' },
  { type: 'event', event: 'tick', payload: {}, seq: 1 },
];
const ODD_VALUES = [
  null,
  true,
  -1,
  1e308,
  '',
  '\u0000',
  '\ud800',
  [],
  {},
  [[[]]],
  'constructor',
  '__proto__',
];

/** A frame with a value in a wrong place, or a text with wrong characters. */
function makeFrame(chance: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
  const frame = structuredClone(pick(VALID)) as Record<string, unknown>;
  if (chance() < 0.7) {
    const names = [...Object.keys(frame), '__proto__', 'extra'];
    Object.defineProperty(frame, pick(names), {
      value: pick(ODD_VALUES),
      enumerable: true,
      configurable: true,
    });
    return JSON.stringify(frame);
  }
  const text = JSON.stringify(frame);
  const at = Math.floor(chance() * text.length);
  const cut = Math.floor(chance() * 5);
  return (
    text.slice(0, at) +
    pick(['', '"', '{', '\\', '\u0000', ']', '💥', '9'.repeat(400)]) +
    text.slice(at + cut)
  );
}

/** Bytes that are no WebSocket, before and after the upgrade. */
async function breakConnection({ port }: TestGateway, chance: () => number): Promise<void> {
  const bytes = Buffer.from(Array.from({ length: 300 }, () => Math.floor(chance() * 256)));
  const head =
    'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
  for (const start of [
    '',
    head,
    'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
  ]) {
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    socket.resume();
    socket.write(start);
    if (chance() < 0.5) socket.end(bytes);
    else socket.write(bytes, () => socket.resetAndDestroy());
    await closed;
  }
}

function countSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

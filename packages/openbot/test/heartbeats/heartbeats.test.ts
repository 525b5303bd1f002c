import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BotConfig, HeartbeatSettings } from '../../src/config/bot-config.ts';
import { listHeartbeats } from '../../src/config/heartbeats.ts';
import { isChecklistEmpty } from '../../src/heartbeats/checklist.ts';
import { findHeartbeatTarget } from '../../src/heartbeats/compose-heartbeat.ts';
import { HeartbeatTimer } from '../../src/heartbeats/heartbeats.ts';
import type { Inbox } from '../../src/inbox/contract.ts';
import { openMemoryInbox } from '../../src/inbox/memory/memory-inbox.ts';
import { openMemoryRunLock } from '../../src/run-lock/memory/memory-run-lock.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-01-10T10:10:00Z');
const MAIN = { agentId: 'main', sessionKey: 'agent:main:main' };

function makeBench(
  settings: HeartbeatSettings = { every: '30m' },
  shared: { inbox?: Inbox; clock?: ManualClock } = {},
) {
  const stateDir = makeTempFolder();
  const config: BotConfig = { agents: { defaults: { userTimezone: 'UTC', heartbeat: settings } } };
  const { clock = new ManualClock(START), inbox = openMemoryInbox() } = shared;
  const runLock = openMemoryRunLock();
  const woken: string[] = [];
  const troubles: unknown[] = [];
  let isFailing = false;
  const open = async () => {
    const [heartbeat] = listHeartbeats({ config, stateDir, env: {} });
    const timer = new HeartbeatTimer(heartbeat!, {
      onWorked: () => {
        isFailing = false;
      },
      config,
      clock,
      inbox,
      runLock,
      findEntry: async () => undefined,
      channels: [],
      wake: ({ sessionKey }) => woken.push(sessionKey),
      onTrouble: (error) => {
        isFailing = true;
        troubles.push(error);
      },
    });
    await timer.start();
    return timer;
  };
  /** The times of the heartbeats, each taken to be answered at once. */
  const take = async () => {
    const waiting = await inbox.waiting(MAIN);
    await inbox.move(
      waiting.map(({ seq }) => seq),
      { state: 'answered', turnId: 't' },
    );
    return waiting.map(({ identity, receivedAt }) => {
      const time = new Date(receivedAt).toISOString().slice(11, 16);
      return `${identity.messageId.slice(11, 16)} at ${time}`;
    });
  };
  const pass = async (ms: number, step = 5 * MINUTE) => {
    const times: string[] = [];
    for (let left = ms; left > 0; left -= step) {
      await clock.advance(step);
      times.push(...(await take()));
    }
    return times;
  };
  return { clock, inbox, runLock, woken, troubles, isFailing: () => isFailing, open, take, pass, stateDir };
}

describe('a heartbeat', () => {
  test('comes at the beginning of each interval, without drift', async () => {
    const bench = makeBench();
    await bench.open();
    expect(await bench.pass(2 * HOUR)).toEqual([
      '10:30 at 10:30',
      '11:00 at 11:00',
      '11:30 at 11:30',
      '12:00 at 12:00',
    ]);
    expect(bench.woken).toHaveLength(4);
  });

  test('is not repeated after a restart, and comes at once where it was missed', async () => {
    const bench = makeBench();
    const first = await bench.open();
    expect(await bench.pass(25 * MINUTE)).toEqual(['10:30 at 10:30']);
    await first.stop();
    await bench.clock.advance(5 * MINUTE);
    const second = await bench.open();
    expect(await bench.pass(10 * MINUTE)).toEqual([]);
    await second.stop();
    await bench.clock.advance(40 * MINUTE);
    await bench.open();
    expect(await bench.pass(20 * MINUTE)).toEqual(['11:30 at 11:30']);
  });

  test('two processes make one', async () => {
    const clock = new ManualClock(START);
    const inbox = openMemoryInbox();
    const benches = [makeBench(undefined, { clock, inbox }), makeBench(undefined, { clock, inbox })];
    for (const bench of benches) await bench.open();
    expect(await benches[0]!.pass(HOUR)).toEqual(['10:30 at 10:30', '11:00 at 11:00']);
    expect(benches.flatMap(({ woken }) => woken)).toHaveLength(2);
  });

  test('waits while the session is busy, and is left out when its interval is over', async () => {
    const bench = makeBench();
    await bench.open();
    const held = await bench.runLock.acquire(MAIN.sessionKey, { waitMs: 0 });
    expect(await bench.pass(30 * MINUTE)).toEqual([]);
    await held!.release();
    expect(await bench.pass(5 * MINUTE)).toEqual(['10:30 at 10:41']);
    const { message } = await bench.inbox.accept({
      identity: { channel: 'x', accountId: 'a', conversationId: 'c', messageId: '1' },
      ...MAIN,
      ctx: { RawBody: 'hello' },
      receivedAt: 1,
    });
    await bench.clock.advance(60 * MINUTE);
    await bench.inbox.move([message.seq], { state: 'answered', turnId: 't' });
    expect(await bench.pass(5 * MINUTE)).toEqual(['11:30 at 11:46']);
  });

  test('comes within the active hours, at their beginning where an interval is longer', async () => {
    const activeHours = { start: '11:45', end: '12:20' };
    const bench = makeBench({ every: '30m', activeHours });
    await bench.open();
    expect(await bench.pass(4 * HOUR)).toEqual(['11:30 at 11:45', '12:00 at 12:00']);
    const daily = makeBench({ every: '24h', activeHours: { ...activeHours, timezone: 'America/New_York' } });
    await daily.open();
    expect(await daily.pass(72 * HOUR, 12 * HOUR)).toEqual(['00:00 at 16:45', '00:00 at 16:45']);
  });

  test('that an earlier process accepted and never began is dropped when its time is over', async () => {
    const bench = makeBench();
    const timer = await bench.open();
    await bench.clock.advance(20 * MINUTE);
    await timer.stop();
    expect(await bench.inbox.waiting(MAIN)).toHaveLength(1);
    await bench.clock.advance(3 * HOUR);
    await bench.open();
    expect(await bench.inbox.counts()).toMatchObject({ dropped: 1, received: 0 });
    expect(await bench.pass(5 * MINUTE)).toEqual(['13:30 at 13:30']);
  });

  test('needs no model where HEARTBEAT.md asks for nothing', async () => {
    const bench = makeBench();
    const file = join(bench.stateDir, 'workspace', 'HEARTBEAT.md');
    mkdirSync(join(bench.stateDir, 'workspace'));
    writeFileSync(file, '# Heartbeat\n\n- [ ]\n');
    await bench.open();
    expect(await bench.pass(HOUR)).toEqual([]);
    writeFileSync(file, '# Heartbeat\n\n- [ ] Look at the mail\n');
    expect(await bench.pass(30 * MINUTE)).toEqual(['11:30 at 11:30']);
  });

  test('a storage that fails is reported and asked again', async () => {
    const bench = makeBench();
    const { inbox } = bench;
    const { accept } = inbox;
    let failures = 2;
    Object.assign(inbox, {
      accept: (...given: Parameters<typeof accept>) =>
        failures-- > 0 ? Promise.reject(new Error('disk')) : accept(...given),
    });
    await bench.open();
    expect(await bench.pass(25 * MINUTE)).toEqual(['10:30 at 10:32']);
    expect(bench.troubles).toHaveLength(2);
  });
});

describe('listHeartbeats', () => {
  const list = (agents: BotConfig['agents']) =>
    listHeartbeats({ config: { agents }, stateDir: '/s', env: {} }).map(
      ({ agentId, everyMs, target }) => `${agentId} ${everyMs / MINUTE} ${target}`,
    );

  test('there is none without a setting, or with an interval of 0', () => {
    expect(list(undefined)).toEqual([]);
    expect(list({ defaults: { heartbeat: { every: '0m' } } })).toEqual([]);
  });

  test('the default agent has that of all, unless agents have their own', () => {
    const defaults = { heartbeat: { every: '1h30m', target: 'none' } };
    expect(list({ defaults })).toEqual(['main 90 none']);
    expect(list({ defaults: { heartbeat: {} } })).toEqual(['main 30 last']);
    expect(list({ defaults, list: [{ id: 'a' }, { id: 'b' }] })).toEqual(['a 90 none']);
    expect(list({ defaults, list: [{ id: 'a' }, { id: 'b', heartbeat: { every: '5' } }] })).toEqual([
      'b 5 none',
    ]);
  });
});

test.each([
  ['', true],
  ['\uFEFF# Title\r\n\r\n##\r\n', true],
  ['- \n* [ ]\n+ [x] \n', true],
  ['#hashtag', false],
  ['- water', false],
  ['text', false],
])('a checklist of %j asks for nothing: %s', (text, isEmpty) => {
  const folder = makeTempFolder();
  expect(isChecklistEmpty(folder)).toBe(false);
  writeFileSync(join(folder, 'HEARTBEAT.md'), text);
  expect(isChecklistEmpty(folder)).toBe(isEmpty);
});

describe('findHeartbeatTarget', () => {
  const entry = { deliveryContext: { channel: 'telegram', to: '42', accountId: 'work', threadId: 7 } };
  const channels = [{ name: 'discord', accountId: 'd1' }];
  const find = (
    settings: { target: string; to?: string; accountId?: string },
    from: typeof entry | undefined = entry,
  ) => findHeartbeatTarget(settings, from, channels);

  test('the last place, or none', () => {
    expect(find({ target: 'last' })).toEqual({
      channel: 'telegram',
      accountId: 'work',
      to: '42',
      threadId: 7,
    });
    expect(find({ target: 'none', to: '42' })).toBeUndefined();
    expect(findHeartbeatTarget({ target: 'last' }, undefined, channels)).toBeUndefined();
    expect(
      findHeartbeatTarget({ target: 'last' }, { deliveryContext: { channel: 'cli', to: 'x' } }, []),
    ).toBeUndefined();
  });

  test('a channel, with a recipient of its own or the last one there', () => {
    expect(find({ target: 'telegram' })).toMatchObject({ to: '42', threadId: 7 });
    expect(find({ target: 'telegram', to: '43' })).toEqual({
      channel: 'telegram',
      accountId: 'work',
      to: '43',
      threadId: undefined,
    });
    expect(find({ target: 'discord' })).toBeUndefined();
    expect(find({ target: 'discord', to: 'c' })).toMatchObject({
      channel: 'discord',
      accountId: 'd1',
      to: 'c',
    });
    expect(find({ target: 'discord', to: 'c', accountId: 'd2' })).toMatchObject({ accountId: 'd2' });
  });
});

describe('a heartbeat that cannot be accepted fails', () => {
  const breakInbox = (): { inbox: Inbox } => {
    const accept = () => Promise.reject(new Error('the disk fails'));
    return { inbox: { ...openMemoryInbox(), accept } };
  };

  test('until its hours are over', async () => {
    const settings = { every: '30m', activeHours: { start: '08:00', end: '11:00' } };
    const bench = makeBench(settings, breakInbox());
    await bench.open();
    await bench.pass(49 * MINUTE, MINUTE);
    expect(bench.isFailing()).toBe(true);
    await bench.pass(2 * MINUTE, MINUTE);
    expect(bench.isFailing()).toBe(false);
  });

  test('until its session is busy', async () => {
    const bench = makeBench({ every: '30m' }, breakInbox());
    await bench.open();
    await bench.pass(25 * MINUTE, MINUTE);
    expect(bench.isFailing()).toBe(true);
    await bench.runLock.acquire(MAIN.sessionKey, { waitMs: 0 });
    await bench.pass(2 * MINUTE, MINUTE);
    expect(bench.isFailing()).toBe(false);
  });

  test('until it is stopped', async () => {
    const bench = makeBench({ every: '30m' }, breakInbox());
    const timer = await bench.open();
    await bench.pass(25 * MINUTE, MINUTE);
    expect(bench.isFailing()).toBe(true);
    await timer.stop();
    expect(bench.isFailing()).toBe(false);
  });
});

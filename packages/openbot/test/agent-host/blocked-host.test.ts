import { expect, test } from 'vitest';
import { clientMessage, HostPlace, MAIN } from './host-place.ts';

const SCRIPT = {
  turns: [
    { when: '^wait$', steps: [{ blockMs: 3000 }, { text: 'Here again.' }] },
    { when: '^for ever$', steps: [{ blockMs: 1e12 }] },
    { when: '.', steps: [{ text: 'I was away.' }] },
  ],
};

test('a loop that is blocked is told, and one that stays so is ended; calls are refused meanwhile', async () => {
  const place = new HostPlace({ agents: { defaults: { model: 'script/loop' } } });
  place.writeScript('loop', SCRIPT);
  const host = await place.open({
    blockedMs: 1000,
    killMs: 1e9,
    callMs: 500,
    restart: { firstMs: 1, mostMs: 1 },
  });
  host.warm();
  await place.until(() => host.status.phase.at === 'up');
  await host.calls.accept(clientMessage('m1', 'wait'));
  await place.until(() => host.status.phase.at === 'blocked');
  // This process answers all the time.
  await expect(host.calls.addSystemEvent(MAIN, 'x')).rejects.toMatchObject({
    details: { wire: { code: 'UNAVAILABLE', retryable: true } },
  });
  await place.until(() => host.status.phase.at === 'up');
  expect((await place.untilEnded('m1')).end).toBe('answered');
  expect(host.status.crashes).toBe(0);
});

test('a process that does not come back is killed, and its run goes on in the next one', async () => {
  const place = new HostPlace({ agents: { defaults: { model: 'script/loop' } } });
  place.writeScript('loop', SCRIPT);
  const host = await place.open({ blockedMs: 500, killMs: 1000, restart: { firstMs: 1, mostMs: 1 } });
  await host.calls.accept(clientMessage('m1', 'for ever'));
  await place.until(() => place.log.length > 0);
  expect(place.log[0]).toMatch(/it did not answer for \d+ s and was ended/);
  const { end, report } = await place.untilEnded('m1');
  expect([end, report.payloads[0]?.text]).toEqual(['answered', 'I was away.']);
  expect(new Set(place.turnsOf('m1')).size).toBe(1);
  expect(host.status.crashes).toBe(1);
});

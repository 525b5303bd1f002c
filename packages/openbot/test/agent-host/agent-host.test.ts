import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadBotConfig } from '../../src/config/load-config.ts';
import { clientMessage, HostPlace, killHost } from './host-place.ts';

test('runs a message in a process of its own, and rests when nothing needs it', async () => {
  // A setting that the agents complain about.
  const place = new HostPlace({ messages: { groupChat: { mentionPatterns: ['('] } } });
  const prints = join(place.stateDir, 'prints.cjs');
  writeFileSync(prints, "process.stderr.write('first words\\nand others\\n')");
  place.more = { NODE_OPTIONS: `--require=${prints}` };
  const host = await place.open({ restMs: 1 });
  expect(host.status).toEqual({
    phase: { at: 'resting' },
    crashes: 0,
    channels: [],
    waits: [],
    failingSteps: [],
  });

  const accepted = await host.calls.accept(clientMessage('m1', 'say hello'));
  expect(accepted).toMatchObject({ isNew: true, text: 'say hello', state: 'received', isRefused: false });
  const { end, report } = await place.untilEnded('m1');
  expect(end).toBe('answered');
  expect(report.payloads[0]!.text).toContain('You said: say hello');
  expect(place.textOf('m1')).toContain('You said: say hello');
  expect(place.events.some(({ type }) => type === 'appended')).toBe(true);
  await place.until(() => host.status.phase.at === 'resting');
  const [printed, told] = [true, false].map((is) =>
    place.log.filter((line) => line.startsWith('agent-host: ') === is),
  );
  expect(printed!.slice(0, 2)).toEqual(['agent-host: first words', 'agent-host: and others']);
  expect(told).toEqual([expect.stringContaining('The mention pattern "(" is not used')]);

  const again = await host.calls.accept(clientMessage('m1', 'say hello'));
  expect(again).toMatchObject({ isNew: false, seq: accepted.seq, text: 'say hello', state: 'answered' });
  expect(place.turnsOf('m1')).toHaveLength(1);
  expect(host.status.crashes).toBe(0);
});

test('a process that is killed is begun again, and its turn goes on', async () => {
  const place = new HostPlace({ agents: { defaults: { model: 'script/slow' } } });
  place.writeScript('slow', {
    turns: [
      { when: 'was interrupted|ended', steps: [{ text: 'whole' }] },
      { steps: [{ text: 'half' }, { stall: true }] },
    ],
  });
  const host = await place.open({ restart: { firstMs: 1, mostMs: 1 } });
  await host.calls.accept(clientMessage('m1', 'go'));
  await place.until(() => place.textOf('m1') !== '');
  killHost(host);
  await place.until(() => place.phases.includes('down'));
  // Waits for the next process.
  const accepted = await host.calls.accept(clientMessage('m2', 'next'));
  expect(accepted.isNew).toBe(true);
  await place.until(() => place.turnsOf('m1').length === 2);
  expect(new Set(place.turnsOf('m1')).size).toBe(1);
  expect(host.status.crashes).toBe(1);
  expect(place.log).toEqual(['The process of the agents is begun again: it ended with SIGKILL']);
});

test('a configuration that became wrong while the process rests does not keep it from starting', async () => {
  const place = new HostPlace({ messages: { responsePrefix: 'former:' } });
  const loaded = await loadBotConfig(place.stateDir, {});
  const host = await place.open({}, { loaded: () => loaded });
  writeFileSync(join(place.stateDir, 'openbot.json'), '{ "messages": ');
  await host.calls.accept(clientMessage('m1', 'hello'));
  const { report } = await place.untilEnded('m1');
  expect(report.payloads[0]!.text).toMatch(/^former: /);
  expect(host.status.crashes).toBe(0);
});

test('a process that cannot start says why to who asks, also while it is tried again', async () => {
  const place = new HostPlace();
  writeFileSync(join(place.stateDir, 'openbot.json'), '{ "messages": ');
  const host = await place.open({ callMs: 1, restart: { firstMs: 1, mostMs: 1 } });
  const troubles: boolean[] = [];
  host.onStatus(({ phase }) => troubles.push('reason' in phase));
  host.warm();
  await place.until(() => place.phases.filter((at) => at === 'down').length === 2);
  await expect(host.calls.accept(clientMessage('m1', 'hello'))).rejects.toThrow(
    /does not start: .*openbot\.json/,
  );
  // The first start has no reason yet; from then on there is one in each phase.
  expect(troubles.slice(0, 4)).toEqual([false, true, true, true]);
});

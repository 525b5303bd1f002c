import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessStat } from '@openbot/sessions/disk';
import { expect, inject, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { HostPlace } from './host-place.ts';

const SCRIPT = {
  turns: [
    { when: '^stall$', steps: [{ text: 'half' }, { stall: true as const }] },
    { when: '.', steps: [{ text: 'whole' }] },
  ],
};

test('a gateway that is killed leaves no host, and the next one goes on with its run', async () => {
  const place = new HostPlace({ agents: { defaults: { model: 'script/play' } } });
  place.writeScript('play', SCRIPT);
  const gateway = fork(programOf(import.meta.dirname, 'gateway-process.ts'), [place.stateDir, 'stall'], {
    env: { PATH: process.env.PATH, HOME: place.stateDir, NODE_COMPILE_CACHE: inject('compiled') },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  afterTest(() => gateway.kill('SIGKILL'));
  const [{ pid }] = await once(gateway, 'message');
  gateway.kill('SIGKILL');
  await once(gateway, 'exit');
  while (readProcessStat(pid)?.isOver === false) await sleep(20);

  // Started for the message that waits.
  const host = await place.open();
  const { end, report } = await place.untilEnded('m1');
  expect([end, report.payloads.map(({ text }) => text)]).toEqual(['answered', ['whole']]);
  expect(host.status.crashes).toBe(0);
});

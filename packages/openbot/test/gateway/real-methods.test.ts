/** Params that no client sends, to the methods of a whole gateway. */
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { openGateway } from '../../src/gateway/open-gateway.ts';
import { ALL_METHODS } from '../../src/gateway-methods/all.ts';
import { HostPlace } from '../agent-host/host-place.ts';
import { MAIN_TOKEN, openClient, TOKEN } from './test-server.ts';

const ODD_VALUES = [
  null,
  true,
  -1,
  0,
  1,
  1e308,
  0.5,
  '',
  'main',
  'agent:main:main',
  'agent:other:main',
  'agent::',
  'agent:main:../../x',
  ':::',
  'global',
  'constructor',
  '__proto__',
  '\u0000',
  '\ud800',
  '/new',
  'x'.repeat(5_000),
  [],
  ['main', 7],
  {},
  { to: '1', message: 'hi' },
  [[[]]],
];

test('break no method, and are answered each', HUNT, async () => {
  const place = new HostPlace({
    agents: { defaults: { model: 'script/play' }, list: [{ id: 'main', default: true }, { id: 'other' }] },
    gateway: { auth: { agentTokens: { main: MAIN_TOKEN } } },
  });
  place.writeScript('play', { turns: [{ when: '.', steps: [{ text: 'Heard' }] }] });
  const { stateDir, env } = place;
  const config = await watchConfig(stateDir, env, { report: () => {} });
  const lines: string[] = [];
  const gateway = await openGateway({
    stateDir,
    env,
    config,
    port: 0,
    host: '127.0.0.1',
    tokens: () => ({ token: TOKEN, agentTokens: { main: MAIN_TOKEN } }),
    log: (line) => lines.push(line),
  });
  afterTest(() => {
    config.close();
    return gateway.close({ reason: 'end of the test', graceMs: 0 });
  });
  const clients = [await openClient(gateway), await openClient(gateway, { auth: { token: MAIN_TOKEN } })];
  const chance = makeChance();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
  const count = tries({ gate: 300, torture: 20_000 });
  const batch = 20;
  for (let done = 0; done < count; done += batch) {
    const answers = await Promise.all(
      Array.from({ length: batch }, () => {
        const { name, params } = pick(ALL_METHODS);
        const given = Object.keys(params).flatMap((field) =>
          params[field]!.optional && chance() < 0.7 ? [] : [[field, pick(ODD_VALUES)] as const],
        );
        // None waits long for something that does not come.
        const wanted = { ...Object.fromEntries(given), ...('timeoutMs' in params && { timeoutMs: 1 }) };
        return pick(clients)
          .request(name, wanted)
          .then((frame) => ({ name, wanted, frame }));
      }),
    );
    for (const { name, wanted, frame } of answers)
      expect(frame.error?.message, `${name} ${JSON.stringify(wanted)}`).not.toBe('internal error');
    for (const { frames } of clients) frames.length = 0;
  }
  expect(lines.filter((line) => / failed: \w*Error/.test(line))).toEqual([]);
  for (const client of clients) expect((await client.request('agents.list')).ok).toBe(true);
});

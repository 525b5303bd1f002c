import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { resolveBind } from '../../src/gateway-process/bind-address.ts';
import { gatewayFiles } from '../../src/gateway-process/gateway-files.ts';
import {
  assertStrongIn,
  chooseToken,
  ensureToken,
  makeToken,
  watchTokens,
} from '../../src/gateway-process/gateway-token.ts';
import { planUnit } from '../../src/gateway-process/install-unit.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { waitFor } from '../setup/terminal-command.ts';

test.each([
  [{}, '127.0.0.1', undefined],
  [{ bind: 'auto' }, '127.0.0.1', undefined],
  [{ bind: 'lan' }, '0.0.0.0', 'every network that this machine is in'],
  [{ bind: 'custom', customBindHost: '::1' }, '::1', undefined],
  [{ bind: 'custom', customBindHost: '192.168.1.5' }, '192.168.1.5', 'the network of 192.168.1.5'],
] as const)('bind %j', (settings, address, reach) => {
  expect(resolveBind(settings)).toMatchObject({ address, ...(reach !== undefined && { reach }) });
  expect(resolveBind(settings).reach).toBe(reach);
});

test('tailnet is the address of Tailscale, and only this machine where there is none, as OpenClaw has it', () => {
  const of = (...addresses: string[]) =>
    resolveBind(
      { bind: 'tailnet' },
      addresses.map((address) => ({ family: 'IPv4', address })),
    );
  expect(of('192.168.1.5', '100.101.2.3')).toMatchObject({ address: '100.101.2.3', local: '100.101.2.3' });
  expect(of('192.168.1.5', '100.1.2.3')).toEqual({ address: '127.0.0.1', local: '127.0.0.1' });
});

test('custom needs customBindHost', () => {
  expect(() => resolveBind({ bind: 'custom' })).toThrow(/gateway.customBindHost is not set/);
});

test('the token is the flag, else gateway.auth.token, else a file that is made once', async () => {
  const stateDir = makeTempFolder();
  const config = { gateway: { auth: { token: 'of the settings' } } };
  expect(await chooseToken({ stateDir, config, flag: 'of the flag' })).toBe('of the flag');
  expect(await chooseToken({ stateDir, config })).toBe('of the settings');
  const made = await chooseToken({ stateDir, config: {} });
  expect(made).toMatch(/^[\w-]{43}$/);
  expect(await chooseToken({ stateDir, config: {} })).toBe(made);
  expect(await ensureToken(stateDir)).toBeUndefined();
  const { token: path } = gatewayFiles(stateDir);
  expect(readFileSync(path, 'utf8')).toBe(`${made}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('processes that start at once have one token, and an edit of its file holds at once', async () => {
  const stateDir = makeTempFolder();
  const made = await Promise.all(Array.from({ length: 20 }, () => chooseToken({ stateDir, config: {} })));
  const { token: path } = gatewayFiles(stateDir);
  expect(new Set(made)).toEqual(new Set([readFileSync(path, 'utf8').trim()]));
  expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  const lines: string[] = [];
  const config = await watchConfig(stateDir, {}, { report: () => {} });
  afterTest(() => config.close());
  const address = '0.0.0.0';
  const tokens = await watchTokens({ stateDir, config, address, log: (line) => void lines.push(line) });
  expect(tokens().token).toBe(made[0]);
  const next = makeToken();
  writeFileSync(path, `${next}\n`);
  expect(tokens().token).toBe(next);
  writeFileSync(path, 'weak\n');
  expect([tokens().token, tokens().token]).toEqual([next, next]);
  expect(lines).toEqual([expect.stringContaining('less than 128 bits')]);
});

test.each([
  ['secret', false],
  ['a'.repeat(64), false],
  ['0123456789'.repeat(3), false],
  ['0123456789abcdef0123456789abcdef', true],
  [makeToken(), true],
])('whether %s can be guessed', (token, isStrong) => {
  const check = () => assertStrongIn({ gateway: { auth: { token } } }, '0.0.0.0');
  if (isStrong) expect(check).not.toThrow();
  else expect(check).toThrow(/less than 128 bits/);
});

test('tokens are what the configuration says now, and of weak ones none that others could guess', async () => {
  const stateDir = makeTempFolder();
  const write = (auth: object) =>
    writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify({ gateway: { auth } }));
  const [first, second, other] = [makeToken(), makeToken(), makeToken()];
  write({ token: first, agentTokens: { Main: other } });
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const config = await watchConfig(stateDir, {}, { report: log });
  afterTest(() => config.close());
  const open = (more: object) => watchTokens({ stateDir, config, log, ...more });
  const [tokens, flagged] = [await open({ address: '0.0.0.0' }), await open({ flag: 'of the flag' })];
  expect(tokens()).toEqual({ token: first, agentTokens: { main: other } });
  expect(flagged().token).toBe('of the flag');
  const change = async (auth: object, isRead: () => boolean) => {
    write(auth);
    await config.look();
    await waitFor(
      () => `${JSON.stringify(auth)} to be read`,
      () => isRead() || undefined,
    );
  };

  await change({ token: second }, () => tokens().token === second);
  expect(tokens().agentTokens).toEqual({});
  await change({ token: 'guess me', agentTokens: { main: 'abc', two: first } }, () => lines.length === 2);
  expect(tokens()).toEqual({ token: second, agentTokens: { two: first } });
  expect(lines.toSorted()).toEqual([
    'The token for the agent main has less than 128 bits, and others could reach 0.0.0.0 and guess it. It is not accepted',
    'The token of the gateway has less than 128 bits, and others could reach 0.0.0.0 and guess it. The former one is used until it is corrected',
  ]);
  await expect(open({ flag: first, address: '0.0.0.0' })).rejects.toThrow(
    /agent main has less than 128 bits/,
  );
  await change({}, () => tokens().token !== second);
  expect(tokens().token).toBe(readFileSync(gatewayFiles(stateDir).token, 'utf8').trim());
  expect(flagged().token).toBe('of the flag');
});

const FACTS = {
  command: ['/usr/bin/node', '/opt/50% "off"/$HOME/openbot.js', 'gateway', 'run'],
  stateDir: '/home/a & b/.openbot',
  path: '/usr/bin:/bin',
  stopSeconds: 20,
};

test('a unit of systemd has the command as it is', () => {
  const { path, text, next } = planUnit(FACTS, { env: { HOME: '/home/a & b' }, platform: 'linux' });
  expect(path).toBe('/home/a & b/.config/systemd/user/openbot-gateway.service');
  expect(text).toContain(
    'ExecStart="/usr/bin/node" "/opt/50%% \\"off\\"/$$HOME/openbot.js" "gateway" "run"\n',
  );
  expect(text).toContain('TimeoutStopSec=20\n');
  // 'gateway stop' would else be undone.
  expect(text).toContain('\nRestart=on-failure\n');
  expect(next).toContain('systemctl --user enable --now openbot-gateway.service');
});

test('an agent of launchd has it too', () => {
  const { path, text } = planUnit(FACTS, { env: { HOME: '/home/a & b' }, platform: 'darwin' });
  expect(path).toBe('/home/a & b/Library/LaunchAgents/ai.openbot.gateway.plist');
  expect(text).toContain('<string>/opt/50% &#34;off&#34;/$HOME/openbot.js</string>');
  expect(text).toContain('<string>/home/a &#38; b/.openbot</string>');
  expect(text).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key><false\/>\s*<\/dict>/);
});

test.each(['linux', 'darwin'] as const)('each state folder has a unit of its own on %s', (platform) => {
  const plan = (stateDir: string) => planUnit({ ...FACTS, stateDir }, { env: { HOME: '/home/a' }, platform });
  const units = ['/home/a/.openbot', '/home/a/second', '/home/a/third'].map(plan);
  expect(new Set(units.map(({ path }) => path)).size).toBe(3);
  for (const { path, text, next, manage } of units) {
    const name = basename(path, '.plist');
    if (platform === 'darwin') expect(text).toContain(`<key>Label</key><string>${name}</string>`);
    for (const command of manage) expect(command).toContain(name);
    expect(next.join('\n')).toContain(name);
  }
});

test('no unit is written for a path that could say more', () => {
  const facts = { ...FACTS, stateDir: '/a\nExecStartPre=/bin/true' };
  expect(() => planUnit(facts, { env: { HOME: '/a' }, platform: 'linux' })).toThrow(/control character/);
});

import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { resolveBind } from '../../src/gateway-process/bind-address.ts';
import { gatewayFiles } from '../../src/gateway-process/gateway-files.ts';
import {
  assertStrong,
  chooseToken,
  ensureToken,
  makeToken,
} from '../../src/gateway-process/gateway-token.ts';
import { planUnit } from '../../src/gateway-process/install-unit.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

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

test.each([
  ['secret', false],
  ['a'.repeat(64), false],
  ['0123456789'.repeat(3), false],
  ['0123456789abcdef0123456789abcdef', true],
  [makeToken(), true],
])('whether %s can be guessed', (token, isStrong) => {
  const check = () => assertStrong(token, '0.0.0.0');
  if (isStrong) expect(check).not.toThrow();
  else expect(check).toThrow(/less than 128 bits/);
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
  expect(next).toContain('systemctl --user enable --now openbot-gateway.service');
});

test('an agent of launchd has it too', () => {
  const { path, text } = planUnit(FACTS, { env: { HOME: '/Users/a' }, platform: 'darwin' });
  expect(path).toBe('/Users/a/Library/LaunchAgents/ai.openbot.gateway.plist');
  expect(text).toContain('<string>/opt/50% &#34;off&#34;/$HOME/openbot.js</string>');
  expect(text).toContain('<string>/home/a &#38; b/.openbot</string>');
});

test('no unit is written for a path that could say more', () => {
  const facts = { ...FACTS, stateDir: '/a\nExecStartPre=/bin/true' };
  expect(() => planUnit(facts, { env: { HOME: '/a' }, platform: 'linux' })).toThrow(/control character/);
});

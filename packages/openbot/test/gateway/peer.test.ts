import { expect, test } from 'vitest';
import { checkConfig } from '../../src/config/check-config.ts';
import { peerOf } from '../../src/gateway/admission/peer.ts';

const PROXIES = ['10.0.0.0/8', '127.0.0.1', '2001:db8:1::/48'];

function clientOf(remoteAddress: string, forwarded?: string, proxies: readonly string[] = PROXIES) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return peerOf({ socket: { remoteAddress }, headers }, proxies);
}

test.each<[string, string, string | undefined, string]>([
  ['a client without a proxy', '192.0.2.7', undefined, '192.0.2.7'],
  ['a client that writes the header itself', '192.0.2.7', '203.0.113.5', '192.0.2.7'],
  ['the client of a proxy', '10.1.2.3', '203.0.113.5', '203.0.113.5'],
  ['what a client put in front is not believed', '10.1.2.3', '198.51.100.1, 203.0.113.5', '203.0.113.5'],
  ['proxies in a row', '::ffff:10.1.2.3', '203.0.113.5, 2001:db8:1::9, 127.0.0.1', '203.0.113.5'],
  ['a stranger in the row', '10.1.2.3', '198.51.100.1, 203.0.113.5,10.9.9.9', '203.0.113.5'],
  ['only proxies', '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['no address', '10.1.2.3', '203.0.113.5, unknown', '10.1.2.3'],
  ['nothing', '10.1.2.3', '', '10.1.2.3'],
  ['an address with a port', '10.1.2.3', '203.0.113.5:4711', '203.0.113.5'],
  ['IPv6 with a port', '10.1.2.3', '[2001:db8::7]:443', '2001:db8::7'],
  ['IPv4 in IPv6', '10.1.2.3', '::ffff:203.0.113.5', '203.0.113.5'],
  ['IPv6 with a zone', 'fe80::1%eth0', undefined, 'fe80::1'],
])('%s', (_what, remote, forwarded, client) => {
  expect(clientOf(remote, forwarded).address).toBe(client);
});

test('nobody is believed where no proxy is named, and nobody behind a proxy is at this machine', () => {
  expect(clientOf('127.0.0.1', '203.0.113.5', [])).toMatchObject({ address: '127.0.0.1', isLocal: false });
  expect(clientOf('127.0.0.1', '127.0.0.1')).toMatchObject({ isLocal: false });
  expect(clientOf('127.0.0.1', undefined)).toMatchObject({ isLocal: true });
  expect(clientOf('10.1.2.3', undefined)).toMatchObject({ address: '10.1.2.3', isLocal: false });
});

test('an address that is not the one of a client is known as that of a proxy', () => {
  const of = (remoteAddress: string, headers = {}) => peerOf({ socket: { remoteAddress }, headers }, PROXIES);
  const unnamed = 'gateway.trustedProxies does not name it';
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
    expect(of('172.17.0.1', { [name]: '203.0.113.5' })).toMatchObject({ isProxy: true, proxyFault: unnamed });
  const silent = expect.stringContaining('x-forwarded-for');
  for (const name of ['forwarded', 'x-real-ip'])
    expect(of('10.1.2.3', { [name]: '203.0.113.5' })).toMatchObject({
      ...{ address: '10.1.2.3', isProxy: true, proxyFault: silent },
    });
  // One that writes no header, and clients: there is nothing to say of them.
  expect([of('10.1.2.3'), of('172.17.0.1')]).toMatchObject([{ isProxy: true }, { isProxy: false }]);
  expect(clientOf('10.1.2.3', '203.0.113.5')).toMatchObject({ isProxy: false });
  for (const peer of [of('10.1.2.3'), of('172.17.0.1'), clientOf('10.1.2.3', '203.0.113.5')])
    expect(peer.proxyFault).toBeUndefined();
});

test('proxies are named by addresses and networks', () => {
  const faultsOf = (range: string) =>
    checkConfig({ gateway: { trustedProxies: [range] } }, { path: 'openbot.json', env: {} }).faults;
  for (const range of ['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32', '::/0', '1.2.3.4/0']) {
    expect(faultsOf(range), range).toEqual([]);
    const { address } = clientOf(range.split('/')[0]!, '192.0.2.7', [range]);
    expect(address, range).toBe('192.0.2.7');
  }
  for (const range of [
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0/8',
    '::1/129',
    '10.0.0.1/',
    '10.0.0.1/8/8',
    '*',
  ])
    expect(faultsOf(range), range).toHaveLength(1);
});

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDeviceBook } from '../../src/gateway-devices/device-book.ts';
import { approveDevice, listDevices, revokeDevice } from '../../src/gateway-devices/devices.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const facts = (deviceId: string) => ({
  deviceId,
  publicKey: 'key',
  clientId: 'openclaw-tui',
  clientMode: 'ui',
});

describe('the devices of a state folder', () => {
  test('a request is approved once, gets a token that is kept as a hash, and can be revoked', async () => {
    const stateDir = makeTempFolder();
    const book = openDeviceBook(stateDir, Date.now);
    expect(await listDevices(stateDir)).toEqual({ approved: [], pending: [] });

    const { pending: asked, isNew } = (await book.request(facts('aa11'), ['operator.read'], '192.0.2.1'))!;
    expect(isNew).toBe(true);
    expect(await book.request(facts('aa11'), ['operator.read'], '192.0.2.1')).toMatchObject({
      pending: asked,
      isNew: false,
    });
    expect(book.find('aa11')).toBeUndefined();
    expect((await listDevices(stateDir)).pending).toEqual([asked]);

    expect(await approveDevice(stateDir, asked.requestId.slice(0, 8))).toMatchObject({
      scopes: ['operator.read'],
    });
    expect((await listDevices(stateDir)).pending).toEqual([]);
    const token = await book.issueToken('aa11');
    expect(token).toHaveLength(43);
    expect(book.hasToken(book.find('aa11')!, token!)).toBe(true);
    expect(book.findByToken(token!)?.deviceId).toBe('aa11');
    const path = join(stateDir, 'gateway-devices.json');
    expect(readFileSync(path, 'utf8')).not.toContain(token);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(await listDevices(stateDir))).not.toContain('tokenHashes');

    await revokeDevice(stateDir, 'aa11');
    expect(book.find('aa11')).toBeUndefined();
    expect(book.findByToken(token!)).toBeUndefined();
    expect(await book.issueToken('aa11')).toBeUndefined();
  });

  test('a device that asks for more keeps what it has', async () => {
    const stateDir = makeTempFolder();
    const book = openDeviceBook(stateDir, Date.now);
    await book.approve(facts('aa11'), ['operator.read']);
    await book.request(facts('aa11'), ['operator.write'], '192.0.2.1');
    await approveDevice(stateDir, 'aa11');
    expect((await listDevices(stateDir)).approved[0]?.scopes).toEqual(['operator.read', 'operator.write']);
    expect(await book.issueToken('constructor')).toBeUndefined();
    expect(book.find('constructor')).toBeUndefined();
  });

  test('a name that means no device or two changes nothing', async () => {
    const stateDir = makeTempFolder();
    const book = openDeviceBook(stateDir, Date.now);
    await book.approve(facts('aa11'), []);
    await book.approve(facts('aa22'), []);
    for (const name of ['bb', 'aa', ' ']) {
      await expect(revokeDevice(stateDir, name)).rejects.toMatchObject({ code: 'DEVICE_NOT_FOUND' });
      await expect(approveDevice(stateDir, name)).rejects.toMatchObject({ code: 'DEVICE_NOT_FOUND' });
    }
    expect((await listDevices(stateDir)).approved).toHaveLength(2);
  });

  test('requests have an end: in time, in all and for each address', async () => {
    const stateDir = makeTempFolder();
    let now = 1_000;
    const book = openDeviceBook(stateDir, () => now);
    const ask = (id: number, address: string) => book.request(facts(`d${id}`), [], address);
    const first = await ask(0, 'a');
    for (let id = 1; id < 10; id++) await ask(id, 'a');
    expect(await ask(10, 'a')).toBeUndefined();
    for (let id = 10; id < 20; id++) expect(await ask(id, `2001:db8::${id}`)).toBeDefined();
    // One client of IPv6 has the whole /64.
    expect(await ask(20, '2001:db8:0:0:ffff::1')).toBeUndefined();
    for (let id = 20; id < 50; id++) expect(await ask(id, `b${id}`)).toBeDefined();
    expect(await ask(50, 'c')).toBeUndefined();
    now += 60 * 60_000;
    await expect(approveDevice(stateDir, first!.pending.requestId, now)).rejects.toMatchObject({
      code: 'DEVICE_NOT_FOUND',
    });
    expect(await ask(50, 'a')).toBeDefined();
    expect((await listDevices(stateDir, now)).pending).toHaveLength(1);
  });

  test('changes of two books at the same time are both kept', async () => {
    const stateDir = makeTempFolder();
    const books = [openDeviceBook(stateDir, Date.now), openDeviceBook(stateDir, Date.now)];
    await Promise.all(
      books.flatMap((book, at) => [0, 1, 2].map((n) => book.approve(facts(`d${at}${n}`), []))),
    );
    expect((await listDevices(stateDir)).approved).toHaveLength(6);
  });

  test('a file that cannot be read lets no device in', async () => {
    const stateDir = makeTempFolder();
    writeFileSync(join(stateDir, 'gateway-devices.json'), '{"version":1');
    const book = openDeviceBook(stateDir, Date.now);
    expect(() => book.find('aa11')).toThrow(/Cannot read/);
    await expect(book.approve(facts('aa11'), [])).rejects.toMatchObject({ code: 'DEVICES_UNREADABLE' });
  });
});

/** Reading a session as it grows. Every storage passes it. */
import { appendFileSync, copyFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { locateSessions } from '../../src/finding/locate-sessions.ts';
import { storageOf } from '../../src/storage/all.ts';
import type { FollowingStorage, ReadPlace } from '../../src/storage/contract/following.ts';
import type { LocatedSession } from '../../src/storage/contract/located-session.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { HOMES, type StorageHome } from './storage-home.ts';

const textOf = (line: string) => `${line}\n`;

describe.each(HOMES)('%s', (name, makeHome) => {
  let home: StorageHome;
  let session: LocatedSession;
  let following: FollowingStorage;

  beforeEach(async () => {
    home = await makeHome(makeTempFolder());
    const source = name === 'pi' || name === 'claude' ? name : 'openclaw';
    const located = locateSessions({
      env: home.env,
      cwd: home.folder,
      source,
      allAgents: source === 'openclaw',
    });
    session = located.find(({ sessionId }) => sessionId === home.sessionId)!;
    following = await storageOf(session).following();
  });

  async function read(from?: ReadPlace, maxBytes?: number) {
    const lines: string[] = [];
    const positions: number[] = [];
    const result = await following.readLines(session, {
      from,
      maxBytes,
      onLine: (line, position) => {
        lines.push(line.toString('utf8'));
        positions.push(position);
      },
    });
    return { text: lines.map(textOf).join(''), lines, positions, ...result! };
  }

  const stateOf = async () => (await following.readStates([session])).get(session);

  test('all lines, in their order, and no more than that', async () => {
    const all = await read();
    expect(all.text).toBe(home.read());
    expect(all).toMatchObject({ continues: false, isEnd: true, state: await stateOf() });
    expect(all.positions).toEqual(all.positions.toSorted((a, b) => a - b));
    expect(await read(all.place)).toMatchObject({ text: '', continues: true, isEnd: true, place: all.place });
  });

  test('what was said since, and nothing else', async () => {
    const { place, state } = await read();
    const said = home.say('later');
    expect(await stateOf()).not.toEqual(state);
    expect((await stateOf())!.generation).toBe(state.generation);
    expect(await read(place)).toMatchObject({ text: said, continues: true, isEnd: true });
  });

  test('a few lines at a time', async () => {
    const parts: string[] = [];
    let from: ReadPlace | undefined;
    for (let isEnd = false; !isEnd; ) {
      const part = await read(from, 200);
      expect(part.continues).toBe(from !== undefined);
      expect(part.lines.length).toBeGreaterThan(0);
      ({ place: from, isEnd } = part);
      parts.push(part.text);
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(home.read());
  });

  test('a session that was rewritten is read from its beginning', async () => {
    const { place, state } = await read();
    const { code } = await home.occ('edit', '--strip-tools=extreme');
    expect(code).toBe(0);
    expect((await stateOf())!.generation).not.toBe(state.generation);
    expect(await read(place)).toMatchObject({ text: home.read(), continues: false });
  });

  test('one that is gone', async () => {
    rmSync(session.path);
    expect(await stateOf()).toBe(undefined);
    expect(await following.readLines(session, { onLine: () => {} })).toBe(undefined);
  });

  test('one that is not there', async () => {
    const other = { ...session, sessionId: 'another', path: `${session.path}.another` };
    expect(await following.readStates([other])).toEqual(new Map());
  });
});

const FILES = HOMES.filter(([name]) => name !== 'openclaw-sqlite');

describe.each(FILES)('%s, as a file', (_name, makeHome) => {
  async function start() {
    const home = await makeHome(makeTempFolder());
    const path = home.address[0]!;
    const source = home.address[2] as 'openclaw';
    const session = { sessionId: home.sessionId, path, source };
    const following = await storageOf(session).following();
    const read = async (from?: ReadPlace) => {
      const lines: string[] = [];
      const onLine = (line: Buffer) => void lines.push(line.toString());
      return { lines, ...(await following.readLines(session, { from, onLine }))! };
    };
    return { path, read };
  }

  test('a line that is being written comes when it is whole', async () => {
    const { path, read } = await start();
    const { place } = await read();
    appendFileSync(path, '{"type":"custom",');
    expect(await read(place)).toMatchObject({ lines: [], place });
    appendFileSync(path, '"n":1}\n');
    expect(await read(place)).toMatchObject({ lines: ['{"type":"custom","n":1}'], continues: true });
  });

  test('a last line without its end comes once', async () => {
    const { path, read } = await start();
    const { place } = await read();
    appendFileSync(path, '{"n":1}');
    const whole = await read(place);
    expect(whole.lines).toEqual(['{"n":1}']);
    appendFileSync(path, '\n{"n":2}\n');
    expect(await read(whole.place)).toMatchObject({ lines: ['{"n":2}'], continues: true });
  });

  test('one that was cut, or written anew in place, is read from its beginning', async () => {
    const { path, read } = await start();
    const { place, lines } = await read();
    copyFileSync(path, `${path}.copy`);
    truncateSync(path, place.position - 10);
    expect((await read(place)).continues).toBe(false);
    writeFileSync(path, `${lines.toReversed().join('\n')}\n${'{"n":1}\n'.repeat(10)}`);
    expect((await read(place)).continues).toBe(false);
  });
});

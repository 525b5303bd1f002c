import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openFileSessionStore, resetSession } from '@openbot/sessions';
import { repairTranscriptHeader } from '@openbot/sessions/transcript';
import { describe, expect, test } from 'vitest';
import { mirrorLetter } from '../../src/state/mirror-letter.ts';
import type { BotState } from '../../src/state/open-state.ts';
import { openState } from '../../src/state/open-state.ts';
import { lastGoodPathOf } from '../../src/store-care/last-good.ts';
import { rebuildStore } from '../../src/store-care/rebuild-store.ts';
import { openStoreCare } from '../../src/store-care/tend-store.ts';
import { BotHome, Chat, MAIN, PARROT } from '../bot/bot-home.ts';
import { COMMAND } from '../setup/command-file.ts';
import { runHere } from '../setup/run-here.ts';

const PEER = 'agent:main:dm:';
const CONFIG = { session: { dmScope: 'per-peer' } } as const;

class CaredHome extends BotHome {
  readonly told: string[] = [];
  readonly folder = join(this.stateDir, 'agents', 'main', 'sessions');
  readonly path = join(this.folder, 'sessions.json');

  /** A state as the processes of the gateway have it. */
  async openCared(env = {}): Promise<BotState> {
    const state = await openState(this.stateDir, { env });
    const report = (message: string) => this.told.push(message);
    const care = openStoreCare({ stateDir: this.stateDir, env }, { report, betweenLooksMs: 1 });
    const storeOf = (agentId: string) => care.tend(state.storeOf(agentId), state.storePathOf(agentId));
    const close = async () => {
      await care.idle();
      await state.close();
    };
    return { ...state, storeOf, close };
  }

  async openChat(chat: Chat) {
    const state = await this.openCared();
    const bot = await this.open({ channels: [chat.channel], config: { ...CONFIG }, state, play: PARROT });
    const say = async (from: string, text: string) => {
      await chat.write(from, `say ${text}`);
      await bot.idle();
    };
    return { bot, say };
  }

  /** Cuts the store off in the middle. Returns what is left of it. */
  tear(): Buffer {
    const bytes = readFileSync(this.path);
    const torn = bytes.subarray(0, bytes.length >> 1);
    writeFileSync(this.path, torn);
    return torn;
  }

  tornFiles(): string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith('sessions.json.damaged.'));
  }
}

const answered = (chat: Chat) => chat.shown.map((line) => line.replace(/^.*?: /, ''));

describe('a torn sessions.json', () => {
  test('is made anew of the headers: each conversation goes on where it was', async () => {
    const home = new CaredHome();
    const chat = new Chat();
    const { say } = await home.openChat(chat);
    await say('ada', 'one');
    await say('bob', 'two');
    const former = home.entriesOf();
    const { mtimeMs } = statSync(lastGoodPathOf(home.path));
    // As if it had never been made.
    writeFileSync(lastGoodPathOf(home.path), 'no copy');
    utimesSync(lastGoodPathOf(home.path), mtimeMs / 1000, mtimeMs / 1000);
    const torn = home.tear();
    await say('ada', 'three');
    await say('bob', 'four');
    expect(answered(chat)).toEqual(['one', 'two', 'three', 'four']);
    const now = home.entriesOf();
    expect(Object.keys(now).sort()).toEqual(Object.keys(former).sort());
    for (const key of Object.keys(former)) {
      expect(now[key]).toMatchObject({
        sessionId: former[key]!.sessionId,
        rebuilt: { at: expect.any(Number), from: 'header' },
      });
    }
    expect(home.saidIn(`${PEER}ada`)).toHaveLength(4);
    const [kept, ...others] = home.tornFiles();
    expect(others).toEqual([]);
    expect(readFileSync(join(home.folder, kept!))).toEqual(torn);
    expect(home.told).toEqual([
      `${home.path} did not parse and was made anew: 2 sessions, 0 as in its last copy. The torn file is kept as ${join(home.folder, kept!)}`,
    ]);
  });

  test('is made anew of the copy, and of headers that are newer', async () => {
    const home = new CaredHome();
    const chat = new Chat();
    const { bot, say } = await home.openChat(chat);
    await say('ada', 'one');
    await say('bob', 'one');
    await bot.close();
    home.changeEntry(`${PEER}ada`, { label: 'work', thinkingLevel: 'high' });
    home.changeEntry(`${PEER}bob`, { label: 'play', totalTokens: 42 });
    copyFileSync(home.path, lastGoodPathOf(home.path));
    const later = chat.again();
    const next = await home.openChat(later);
    await resetSession({ storePath: home.path, sessionKey: `${PEER}bob` });
    await next.say('bob', 'two');
    await next.say('cleo', 'four');
    const former = home.entriesOf();
    home.tear();
    await next.say('ada', 'five');
    const now = home.entriesOf();
    expect(now[`${PEER}ada`]).toMatchObject({
      sessionId: former[`${PEER}ada`]!.sessionId,
      label: 'work',
      thinkingLevel: 'high',
      rebuilt: { from: 'last-good' },
    });
    expect(now[`${PEER}bob`]).toMatchObject({
      sessionId: former[`${PEER}bob`]!.sessionId,
      label: 'play',
      rebuilt: { from: 'header' },
    });
    expect(now[`${PEER}bob`]!.totalTokens).toBeUndefined();
    expect(now[`${PEER}cleo`]).toMatchObject({
      sessionId: former[`${PEER}cleo`]!.sessionId,
      rebuilt: { from: 'header' },
    });
    expect(home.told[0]).toContain('3 sessions, 1 as in its last copy');
  });

  test.each([0, 1])('of %i bytes is made anew too', async (bytes) => {
    const home = new CaredHome();
    const chat = new Chat();
    const { say } = await home.openChat(chat);
    await say('ada', 'one');
    const { sessionId } = home.entryOf(`${PEER}ada`);
    writeFileSync(home.path, readFileSync(home.path).subarray(0, bytes));
    await say('ada', 'two');
    expect(answered(chat)).toEqual(['one', 'two']);
    expect(home.entryOf(`${PEER}ada`).sessionId).toBe(sessionId);
  });

  test('a transcript that does not say whose it is, and one that began as another, are said and not guessed', async () => {
    const home = new CaredHome();
    const chat = new Chat();
    const { say, bot } = await home.openChat(chat);
    await say('ada', 'one');
    await bot.close();
    const { sessionId } = home.entryOf(`${PEER}ada`);
    const [header, ...lines] = readFileSync(home.entryOf(`${PEER}ada`).sessionFile!, 'utf8').split('\n');
    const timestamp = '2036-01-01T00:00:00.000Z';
    const forked = { ...JSON.parse(header!), id: 'forked', timestamp, parentSession: 'ada.jsonl' };
    writeFileSync(join(home.folder, 'forked.jsonl'), [JSON.stringify(forked), ...lines].join('\n'));
    const cloned = { ...JSON.parse(header!), id: 'cloned', clonedAt: '2036-01-01T00:00:00.000Z' };
    writeFileSync(join(home.folder, 'cloned.jsonl'), [JSON.stringify(cloned), ...lines].join('\n'));
    writeFileSync(
      join(home.folder, 'foreign.jsonl'),
      '{"type":"session","version":3,"id":"foreign","timestamp":"2036-01-01T00:00:00.000Z","cwd":"/w"}\n',
    );
    home.tear();
    const rebuilt = await rebuildStore(home.path, 'main', Date.now());
    expect(rebuilt!.unknown.toSorted()).toEqual(['cloned.jsonl', 'foreign.jsonl', 'forked.jsonl']);
    expect(home.entriesOf()).toEqual({ [`${PEER}ada`]: expect.objectContaining({ sessionId }) });
  });

  describe('and a transcript that lost its header', () => {
    const LOST = ['zeros', 'repaired'];

    const openTalk = async () => {
      const home = new CaredHome();
      const { say, bot } = await home.openChat(new Chat());
      await say('ada', 'one');
      await say('ada', 'two');
      await bot.close();
      rmSync(lastGoodPathOf(home.path));
      const { sessionId, sessionFile } = home.entryOf(`${PEER}ada`);
      return { home, sessionId, path: sessionFile! };
    };

    /** Of zeros, as a power cut leaves it; a turn that was still sent then puts another one in front. */
    const loseHeader = async (path: string, kind: string, sessionId: string) => {
      const text = readFileSync(path, 'utf8');
      const end = text.indexOf('\n');
      writeFileSync(path, '\0'.repeat(end) + text.slice(end));
      const now = () => Date.UTC(2036, 0);
      if (kind === 'repaired') await repairTranscriptHeader({ path, sessionId, cwd: '/w', now });
    };

    test.each(LOST)('goes on where it was: %s', async (kind) => {
      const { home, sessionId, path } = await openTalk();
      await loseHeader(path, kind, sessionId);
      home.tear();
      expect(await rebuildStore(home.path, 'main', Date.now())).toMatchObject({ entries: 1, unknown: [] });
      expect(home.entryOf(`${PEER}ada`)).toMatchObject({ sessionId, sessionFile: path });
    });

    test.each(LOST)('does not take the place of a session that began later: %s', async (kind) => {
      const { home, path } = await openTalk();
      const later = 'aaaaaaaa-0000-4000-8000-000000000001';
      const [header = '', ...lines] = readFileSync(path, 'utf8')
        .replaceAll(/"turnId":"/g, '"turnId":"later-')
        .replaceAll(/"timestamp":"20\d\d/g, '"timestamp":"2035')
        .split('\n');
      const started = JSON.stringify({ ...JSON.parse(header), id: later });
      writeFileSync(join(home.folder, `${later}.jsonl`), [started, ...lines].join('\n'));
      await loseHeader(path, kind, home.entryOf(`${PEER}ada`).sessionId);
      home.tear();
      await rebuildStore(home.path, 'main', Date.now());
      expect(home.entryOf(`${PEER}ada`).sessionId).toBe(later);
    });

    test.each(LOST)('is not taken for its source where it is a copy: %s', async (kind) => {
      for (const source of ['live', 'archived', 'without its header']) {
        const { home, sessionId, path } = await openTalk();
        const copied = 'bbbbbbbb-0000-4000-8000-000000000001';
        const copy = join(home.folder, `${copied}.jsonl`);
        copyFileSync(path, copy);
        await loseHeader(copy, kind, copied);
        if (source === 'archived') renameSync(path, `${path}.deleted.2026-01-13T07-45-00.000Z`);
        if (source === 'without its header') {
          appendFileSync(path, readFileSync(path, 'utf8').replaceAll('"turnId":"', '"turnId":"later-'));
          await loseHeader(path, 'zeros', sessionId);
        }
        home.tear();
        const rebuilt = await rebuildStore(home.path, 'main', Date.now());
        expect(rebuilt!.unknown).toEqual([`${copied}.jsonl`]);
        expect(Object.values(home.entriesOf()).map((entry) => entry.sessionId)).toEqual(
          source === 'archived' ? [] : [sessionId],
        );
      }
    });
  });

  test('a session that was deleted after the copy does not come back', async () => {
    const home = new CaredHome();
    const chat = new Chat();
    const { say, bot } = await home.openChat(chat);
    await say('ada', 'one');
    await say('bob', 'one');
    await bot.close();
    copyFileSync(home.path, lastGoodPathOf(home.path));
    const gone = home.entryOf(`${PEER}bob`).sessionFile!;
    copyFileSync(gone, `${gone}.deleted.2026-01-13T07-45-00.000Z`);
    rmSync(gone);
    home.tear();
    await rebuildStore(home.path, 'main', Date.now());
    expect(Object.keys(home.entriesOf())).toEqual([`${PEER}ada`]);
  });

  test.each(['reset', 'damaged'])(
    'a session that was %s after the copy is followed by another one',
    async (reason) => {
      const home = new CaredHome();
      const chat = new Chat();
      const { say, bot } = await home.openChat(chat);
      await say('ada', 'one');
      await bot.close();
      home.changeEntry(`${PEER}ada`, { label: 'work' });
      copyFileSync(home.path, lastGoodPathOf(home.path));
      const { sessionId, sessionFile: former } = home.entryOf(`${PEER}ada`);
      renameSync(former!, `${former}.${reason}.2026-01-13T07-45-00.000Z`);
      home.tear();
      await rebuildStore(home.path, 'main', Date.now());
      const entry = home.entryOf(`${PEER}ada`);
      expect(entry).toMatchObject({ label: 'work', rebuilt: { from: 'last-good' } });
      expect(entry.sessionId).not.toBe(sessionId);
      expect(entry.sessionFile).toBe(join(home.folder, `${entry.sessionId}.jsonl`));
      const next = await home.openChat(chat.again());
      await next.say('ada', 'two');
      expect(home.entryOf(`${PEER}ada`).sessionId).toBe(entry.sessionId);
      expect(existsSync(former!)).toBe(false);
      expect(home.saidIn(`${PEER}ada`)).toEqual(['user: say two', 'assistant: two']);
    },
  );

  test('a process that ends in the middle leaves the torn file, and the next one makes it anew', async () => {
    const home = new CaredHome();
    const chat = new Chat();
    const { say, bot } = await home.openChat(chat);
    await say('ada', 'one');
    await bot.close();
    const torn = home.tear();
    // Killed after the torn file had its second name.
    copyFileSync(home.path, `${home.path}.damaged.2026-01-13T07-45-00.000Z`);
    await rebuildStore(home.path, 'main', Date.UTC(2026, 0, 13, 7, 45));
    expect(home.tornFiles()).toHaveLength(2);
    for (const name of home.tornFiles()) expect(readFileSync(join(home.folder, name))).toEqual(torn);
    expect(await rebuildStore(home.path, 'main', Date.now())).toBeUndefined();
    expect(home.tornFiles()).toHaveLength(2);
  });

  test('keeps its only name where the new one cannot be written, however often it is tried', async () => {
    const home = new CaredHome();
    await (await home.openCared()).close();
    const entry = { sessionId: 's1', updatedAt: 1, label: 'x'.repeat(64 * 1024) };
    mkdirSync(home.folder, { recursive: true });
    writeFileSync(lastGoodPathOf(home.path), JSON.stringify({ [MAIN]: entry }));
    writeFileSync(home.path, '{"half');
    // A file size limit that also holds for root.
    const env = { PATH: process.env.PATH, HOME: home.stateDir, OPENBOT_STATE_DIR: home.stateDir };
    const place = { env, encoding: 'utf8' } as const;
    const limited = ['-c', 'trap "" XFSZ; ulimit -f 32; exec "$@"', 'bash', process.execPath, ...COMMAND];
    for (let tries = 0; tries < 2; tries++) {
      const { status, stdout } = spawnSync('bash', [...limited, 'doctor', '--fix', '--yes'], place);
      expect([status, stdout]).toEqual([1, expect.stringContaining('EFBIG')]);
    }
    expect(readFileSync(home.path, 'utf8')).toBe('{"half');
    expect(home.tornFiles()).toEqual([]);
    await rebuildStore(home.path, 'main', Date.now());
    expect(home.entryOf()).toMatchObject(entry);
    expect(home.tornFiles()).toHaveLength(1);
  });

  test('is made anew for a message that is to be mirrored', async () => {
    const home = new CaredHome();
    const chat = new Chat();
    const { say, bot } = await home.openChat(chat);
    await say('ada', 'one');
    await bot.close();
    home.tear();
    const state = await home.openCared();
    const letter = { agentId: 'main', sessionKey: `${PEER}ada`, payload: { text: 'two' } };
    expect(await mirrorLetter({ state, stateDir: home.stateDir, env: {} }, letter)).toBe(true);
    expect(home.saidIn(`${PEER}ada`)).toEqual(['user: say one', 'assistant: one', 'assistant: two']);
    await state.close();
  });

  test('two processes that find it at the same time agree', async () => {
    const home = new CaredHome();
    const first = await home.openCared();
    const second = await home.openCared();
    await first.storeOf('main').update(MAIN, () => ({ sessionId: 's1', updatedAt: 1 }));
    await expect.poll(() => existsSync(lastGoodPathOf(home.path)), { timeout: 60_000 }).toBe(true);
    home.tear();
    const lists = await Promise.all([first, second].map((state) => state.storeOf('main').list()));
    expect(lists.map((list) => list.map(({ key }) => key))).toEqual([[MAIN], [MAIN]]);
    expect(home.tornFiles()).toHaveLength(1);
    await first.close();
    await second.close();
  });

  test('stays an error where it changes between two looks', async () => {
    const home = new CaredHome();
    const state = await home.openCared();
    await state.storeOf('main').update(MAIN, () => ({ sessionId: 's1', updatedAt: 1 }));
    home.tear();
    const store = openStoreCare(
      { stateDir: home.stateDir, env: {} },
      { report: () => {}, betweenLooksMs: 60 },
    ).tend(openFileSessionStore(home.path), home.path);
    const reading = store.list();
    setTimeout(() => writeFileSync(home.path, '{"half'), 20);
    await expect(reading).rejects.toMatchObject({ code: 'STORE_PARSE_FAILED' });
    expect(readFileSync(home.path, 'utf8')).toBe('{"half');
    expect(home.tornFiles()).toEqual([]);
    await state.close();
  });
});

describe('everywhere else it is an error that names the file', () => {
  const refused = async (home: CaredHome, list: () => Promise<unknown>) => {
    const torn = home.tear();
    await expect(list()).rejects.toMatchObject({
      code: 'STORE_PARSE_FAILED',
      message: expect.stringContaining(home.path),
    });
    expect(readFileSync(home.path)).toEqual(torn);
    expect(home.tornFiles()).toEqual([]);
  };
  const fill = async (home: CaredHome) => {
    const store = openFileSessionStore(home.path);
    await store.update(MAIN, () => ({ sessionId: 's1', updatedAt: 1 }));
    return store;
  };

  test('for libraries and commands', async () => {
    const home = new CaredHome();
    const store = await fill(home);
    await refused(home, () => store.list());
    const state = await openState(home.stateDir);
    await expect(state.storeOf('main').list()).rejects.toMatchObject({ code: 'STORE_PARSE_FAILED' });
    await state.close();
    expect(home.tornFiles()).toEqual([]);
  });

  test('in a folder with an openclaw.json', async () => {
    const home = new CaredHome();
    await fill(home);
    writeFileSync(join(home.stateDir, 'openclaw.json'), '{}');
    const state = await home.openCared();
    await refused(home, () => state.storeOf('main').list());
    await state.close();
  });

  test('for a store of the configuration that is elsewhere', async () => {
    const home = new CaredHome();
    await fill(home);
    const stateDir = join(home.stateDir, 'other');
    await (await openState(stateDir)).close();
    const care = openStoreCare({ stateDir, env: {} }, { report: () => {}, betweenLooksMs: 1 });
    const store = care.tend(openFileSessionStore(home.path), home.path);
    await refused(home, () => store.list());
  });
});

describe('the copy of a store', () => {
  test('is made at most once in ten minutes, of what can be read from the disk, for its owner alone', async () => {
    const home = new CaredHome();
    const report = () => {};
    await (await openState(home.stateDir)).close();
    let now = Date.now();
    const openCare = () =>
      openStoreCare({ stateDir: home.stateDir, env: {} }, { report, now: () => now, betweenLooksMs: 1 });
    let care = openCare();
    let store = care.tend(openFileSessionStore(home.path), home.path);
    const write = async (updatedAt: number) => {
      await store.update(MAIN, () => ({ sessionId: 's1', updatedAt }));
      await care.idle();
      return JSON.parse(readFileSync(lastGoodPathOf(home.path), 'utf8'))[MAIN].updatedAt;
    };
    expect(await write(1)).toBe(1);
    expect(statSync(lastGoodPathOf(home.path)).mode & 0o777).toBe(0o600);
    now += 9 * 60_000;
    expect(await write(2)).toBe(1);
    // Another process.
    care = openCare();
    store = care.tend(openFileSessionStore(home.path), home.path);
    expect(await write(3)).toBe(1);
    now += 2 * 60_000;
    expect(await write(4)).toBe(4);
    expect(readdirSync(home.folder).sort()).toEqual(['sessions.json', 'sessions.json.last-good']);
  });
});

test('doctor --fix makes a torn store anew at once', async () => {
  const home = new CaredHome();
  const chat = new Chat();
  const { say, bot } = await home.openChat(chat);
  await say('ada', 'one');
  await bot.close();
  const { sessionId } = home.entryOf(`${PEER}ada`);
  home.tear();
  const place = { env: { OPENBOT_STATE_DIR: home.stateDir }, cwd: home.stateDir };
  const looked = await runHere(['doctor'], place);
  expect(looked.stdout).toContain(`--fix: Make ${home.path} anew of its last copy`);
  expect(home.tornFiles()).toEqual([]);
  const fixed = await runHere(['doctor', '--fix', '--yes'], place);
  expect(fixed.stdout).toContain(`Fixed: Make ${home.path} anew`);
  expect(home.entryOf(`${PEER}ada`)).toMatchObject({ sessionId, rebuilt: expect.anything() });
  expect(home.tornFiles()).toHaveLength(1);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, expect, it } from 'vitest';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { appendToTranscript, createTranscript } from '../../src/index.ts';
import { readEntries, type StoredEntry, useTempFolder } from './temp-folder.ts';

const folder = useTempFolder();
const SCRIPT = join(import.meta.dirname, 'appending-process.ts');
let path: string;

beforeEach(async () => {
  path = join(folder.path, 's.jsonl');
  await createTranscript({ path, sessionId: 's', cwd: '/w' });
});

type Appender = {
  child: ChildProcess;
  confirmed: () => number;
  ended: Promise<number | null>;
  stderr: () => string;
};

function startAppender(name: string, count: number, filling: number): Appender {
  const child = spawn(process.execPath, [SCRIPT, path, name, String(count), String(filling)]);
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  return {
    child,
    confirmed: () => out.split('\n').length - 1,
    ended: new Promise((resolve) => child.on('close', resolve)),
    stderr: () => err,
  };
}

const textOf = (entry: StoredEntry) => (entry.message as { content: string }).content;

/** Each entry is the child of the one before it, and no id occurs twice. */
function expectUnbrokenChain(entries: readonly StoredEntry[]): void {
  expect(entries.map((entry) => entry.parentId)).toEqual([
    null,
    ...entries.slice(0, -1).map((entry) => entry.id),
  ]);
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);
}

it('six processes append at once: all there, whole, in one chain', HUNT, async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const each = tries({ gate: 20, torture: 200 });
  const appenders = names.map((name) => startAppender(name, each, 50));
  for (const appender of appenders) {
    expect([await appender.ended, appender.stderr()]).toEqual([0, '']);
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  const [header, ...entries] = lines.map((line) => JSON.parse(line) as StoredEntry);
  expect(header!.type).toBe('session');
  expect(entries).toHaveLength(6 * each);
  expectUnbrokenChain(entries);
  for (const name of names) {
    const own = entries.map(textOf).filter((text) => text.startsWith(`${name}-`));
    expect(own).toEqual(Array.from({ length: each }, (_, n) => `${name}-${n}`));
  }
  expect(existsSync(`${path}.lock`)).toBe(false);
  expect(SessionManager.open(path).buildSessionContext().messages).toHaveLength(6 * each);
});

it('appenders killed at work: every finished line is kept, and the next append goes on', HUNT, async () => {
  const finished: string[] = [];
  let killed = 0;
  const kills = tries({ gate: 7, torture: 100 });
  const chance = makeChance();
  for (let round = 0; killed < kills; round++) {
    // Lines of up to 280 KB, so that kills fall into writes as well.
    const appenders = [0, 1, 2, 3].map((i) => ({
      name: `r${round}p${i}`,
      ...startAppender(`r${round}p${i}`, 1e6, i * 13_000),
    }));
    const wanted = 1 + (round % 3);
    await Promise.all(
      appenders.map(async (appender) => {
        while (appender.confirmed() < wanted && appender.child.exitCode === null)
          await new Promise((r) => setTimeout(r, 2));
        await new Promise((r) => setTimeout(r, chance() * 15));
        appender.child.kill('SIGKILL');
        await appender.ended;
        expect(appender.stderr()).toBe('');
        killed++;
        for (let n = 0; n < appender.confirmed(); n++) finished.push(`${appender.name}-${n}`);
      }),
    );
    // What a kill inside write(2) leaves: the system tears lines only on its own terms, so add one of each kind.
    if (round % 5 === 0) tearLine(round);
    await appendToTranscript(path, {
      type: 'message',
      message: { role: 'user', content: `after-${round}`, timestamp: 0 },
    });
    finished.push(`after-${round}`);
  }
  const entries = readEntries(path).slice(1);
  const texts = entries.map(textOf);
  expect(new Set(texts).size).toBe(texts.length);
  const there = new Set(texts);
  expect(finished.filter((text) => !there.has(text))).toEqual([]);
  expectUnbrokenChain(entries);
  const pi = SessionManager.open(path);
  expect(pi.buildSessionContext().messages).toHaveLength(entries.length);
});

function tearLine(round: number): void {
  const fd = openSync(path, 'a');
  const torn = `{"type":"message","id":"dead${round}","parentId":"x","message":{"role":"user","content":"torn`;
  writeSync(fd, round % 2 === 0 ? torn : `${torn}${'\0'.repeat(5000)}`);
  closeSync(fd);
}

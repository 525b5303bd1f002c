/** What every storage promises of edit, restore and clone, also when the command is killed or the disk is full. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { HUNT, LONG, tries } from '../../../../test/setup/hunt.ts';
import { readPairs } from '../safety/homes.ts';
import { type Fault, listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { pauseOcc } from '../setup/pause.ts';
import type { OccRun } from '../setup/run-occ.ts';
import { listSqliteCalls, runOccWithSqliteFault } from '../setup/sqlite-faults.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { HOMES, readAllFiles, type StorageHome } from './storage-home.ts';

// Each kill is two processes: on a machine with other work to do they take their time.
vi.setConfig({ testTimeout: 600_000 });

const CLEAN = '--strip-tools=extreme';

// biome-ignore lint/suspicious/noExplicitAny: what a program printed.
function read(ran: OccRun): any {
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

function refused(ran: OccRun): { code: string; message: string; hint: string } {
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  return JSON.parse(ran.stderr).error;
}

/** What people and the assistant said, in order. */
function textsOf(lines: string): string[] {
  const said = lines.replaceAll(/^.*"type":"custom-title".*\n/gm, '');
  return [...said.matchAll(/"((?:Question|Answer)[^"\\]*)"/g)].map(([, text]) => text!);
}

describe.each(HOMES)('%s', (kind, makeHome) => {
  /** Sessions of pi and Claude Code are files that are written as those of OpenClaw are. */
  const effort = kind.startsWith('openclaw') ? HUNT : LONG;
  let home: StorageHome;
  let before: string;
  beforeEach(async () => {
    home = await makeHome(makeTempFolder());
    before = home.read();
  });

  const command = (name: string, ...flags: string[]) => [name, ...home.address, ...flags, '--json'];

  test('an edit shrinks the session, keeps all that was said, and leaves a backup of what it was', async () => {
    const done = read(await home.occ('edit', CLEAN));
    const after = home.read();
    expect(done).toMatchObject({ changed: true, sessionId: home.sessionId });
    expect(done.statistics).toMatchObject({
      sizeOriginal: Buffer.byteLength(before),
      sizeAfter: Buffer.byteLength(after),
    });
    expect(after.length).toBeLessThan(before.length);
    expect(textsOf(after)).toEqual(textsOf(before));
    expect(readFileSync(done.backupPath, 'utf8')).toBe(before);
    expect(home.backups().at(-1)).toBe(before);
    expect(home.faults()).toEqual([]);
  });

  test('an edit that finds nothing to clean changes nothing', async () => {
    await home.occ('edit', CLEAN);
    const files = readAllFiles(home.folder);
    expect(read(await home.occ('edit', CLEAN))).toMatchObject({ changed: false });
    expect(readAllFiles(home.folder)).toEqual(files);
  });

  test('a dry run says what an edit does, and writes nothing', async () => {
    const files = readAllFiles(home.folder);
    const planned = read(await home.occ('edit', CLEAN, '--dry-run'));
    expect(planned).toMatchObject({ changed: false, dryRun: true });
    expect(read(await home.occ('clone', CLEAN, '--dry-run'))).toMatchObject({ changed: false, dryRun: true });
    expect(readAllFiles(home.folder)).toEqual(files);
    const { statistics, tokens } = read(await home.occ('edit', CLEAN));
    expect({ statistics, tokens }).toEqual({ statistics: planned.statistics, tokens: planned.tokens });
  });

  test('a restore undoes an edit byte for byte, and what was said since follows', async () => {
    read(await home.occ('edit', CLEAN));
    const said = home.say('after the edit');
    const edited = home.read();
    const done = read(await home.occ('restore'));
    expect(home.read()).toBe(before + said);
    expect(done).toMatchObject({
      linesKept: said.split('\n').length - 1,
      sizeBefore: Buffer.byteLength(edited),
      sizeAfter: Buffer.byteLength(before + said),
      context: { complete: true },
    });
    expect(readFileSync(done.backupPath, 'utf8')).toBe(edited);
    // The restore is undone in the same way.
    read(await home.occ('restore'));
    expect(home.read()).toBe(edited);
    expect(home.faults()).toEqual([]);
  });

  test('any backup can be restored, with all that was said since', async () => {
    const backup = home.backups()[0]!;
    read(await home.occ('edit', CLEAN));
    const said = home.say('at last');
    const { restoredFrom } = read(await home.occ('restore', '--backup', '1'));
    expect(readFileSync(restoredFrom, 'utf8')).toBe(backup);
    expect(home.read().startsWith(backup)).toBe(true);
    expect(home.read().endsWith(said)).toBe(true);
    expect(textsOf(home.read())).toEqual([...textsOf(before), ...textsOf(said)]);
    expect(read(await home.occ('restore', '--list'))).toHaveLength(home.backups().length);
  });

  test('a clone is a session of its own, and the original stays as it is', async () => {
    const done = read(await home.occ('clone', CLEAN));
    expect(done).toMatchObject({ sourceSessionId: home.sessionId, resumeCommand: expect.any(String) });
    expect(done.clonedSessionId).not.toBe(home.sessionId);
    expect(home.read()).toBe(before);
    const target = join(home.folder, 'of-the-clone.jsonl');
    const onClone = home.occOn(done.clonedSessionId);
    expect(read(await onClone('info'))).toMatchObject({
      sessionId: done.clonedSessionId,
      sizeBytes: done.statistics.sizeCloned,
    });
    read(await onClone('clone', '-o', target));
    expect(textsOf(readFileSync(target, 'utf8'))).toEqual(textsOf(before));
    expect(readPairs(target)).toEqual({ calls: [], results: [] });
  });

  test('a clone in a file has every line of the session, with another id', async () => {
    const target = join(home.folder, 'copy.jsonl');
    const { clonedSessionId } = read(await home.occ('clone', '-o', target));
    const lines = readFileSync(target, 'utf8')
      .split('\n')
      .filter((line) => !line.includes('"type":"custom-title"'));
    const asBefore = (line: string) =>
      line.replaceAll(clonedSessionId, home.sessionId).replace(/,"clonedFrom":.*?,"clonedAt":"[^"]*"/, '');
    expect(lines.map(asBefore)).toEqual(before.split('\n'));
    const { calls, results } = readPairs(target);
    expect(calls).toEqual(results);
    expect(home.faults()).toEqual([]);
  });

  test('a clone takes the name of no other file', async () => {
    const target = join(home.folder, 'taken.jsonl');
    writeFileSync(target, 'mine');
    expect(refused(await home.occ('clone', '-o', target)).code).toBe('CLONE_FAILED');
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });

  test('a backup can be cloned by its path', async () => {
    const { backupPath } = read(await home.occ('edit', CLEAN));
    const target = join(home.folder, 'of-the-backup.jsonl');
    const cloned = read(await home.occOn(backupPath)('clone', '-o', target));
    expect(cloned).toMatchObject({ sourceSessionId: home.sessionId, sourceBackupPath: backupPath });
    expect(textsOf(readFileSync(target, 'utf8'))).toEqual(textsOf(before));
  });

  test('lines that are said between the plan and the swap are kept', async () => {
    const paused = await pauseOcc(
      command('edit', CLEAN),
      { path: home.pausePath(), when: 'before' },
      home.env,
    );
    const said = home.say('meanwhile');
    read(await paused.goOn());
    expect(home.read().endsWith(said) || textsOf(home.read()).at(-1) === 'Answer meanwhile').toBe(true);
    expect(textsOf(home.read())).toEqual([...textsOf(before), ...textsOf(said)]);
    read(await home.occ('restore'));
    expect(home.read()).toBe(before + said);
    expect(home.faults()).toEqual([]);
  });

  test('what cannot be read is not rewritten', async () => {
    home.damage();
    const files = readAllFiles(home.folder);
    for (const name of ['edit', 'clone']) expect(refused(await home.occ(name, CLEAN)).hint).not.toBe('');
    expect(readAllFiles(home.folder)).toEqual(files);
  });

  describe.each([
    ['edit', [CLEAN]],
    ['restore', []],
    ['clone', [CLEAN]],
  ] as const)('%s', (name, flags) => {
    /** A home in which the command has something to do. */
    const makeReady = () => makeHome(makeTempFolder(), name === 'restore');

    const argsOn = ({ address }: StorageHome) => [name, ...address, ...flags, '--json'];

    /** All changes that the command makes, on disk and in SQLite. */
    let listed: Promise<Record<'disk' | 'sqlite', string[]>> | undefined;
    async function listChanges() {
      const copy = await makeReady();
      const disk = await listDiskCalls(argsOn(copy), { under: copy.folder }, { env: copy.env });
      read(disk.run);
      if (!copy.isInSqlite) return { disk: disk.calls, sqlite: [] };
      const { env } = await makeReady();
      const sqlite = await listSqliteCalls(argsOn(copy), { env });
      read(sqlite.run);
      return { disk: disk.calls, sqlite: sqlite.calls };
    }

    /** Some of them at which the command can be struck; more of them in the long form. */
    async function choosePoints(strike: Strike): Promise<Point[]> {
      listed ??= listChanges();
      const { disk, sqlite } = await listed;
      const ops = strike === 'full' ? SPACE_TAKING : undefined;
      const counted = disk.filter((call) => ops === undefined || ops.some((op) => call.startsWith(`${op} `)));
      const points = [
        ...counted.map((call, index) => onDisk(call, index + 1, strike, ops)),
        ...sqlite.flatMap((call, index) =>
          /^(?:run|exec)/.test(call) ? [inSqlite(call, index + 1, strike)] : [],
        ),
      ];
      const count = tries({ gate: 1, torture: 10 });
      return Array.from(
        { length: count },
        (_, n) => points[Math.floor((points.length * (n + 0.7)) / count)]!,
      );
    }

    function onDisk(call: string, at: number, strike: Strike, ops: Fault['ops']): Point {
      const fault =
        strike === 'full'
          ? ({ at, strike: 'ENOSPC', forGood: true, ops } as const)
          : ({ at, strike: 'kill-before' } as const);
      return {
        call,
        run: (struck) =>
          runOccWithFault(argsOn(struck), { ...fault, under: struck.folder }, { env: struck.env }),
      };
    }

    function inSqlite(call: string, at: number, strike: Strike): Point {
      const fault =
        strike === 'full'
          ? ({ at, strike: 'fail', errcode: SQLITE_FULL } as const)
          : ({ at, strike: 'kill-before' } as const);
      return { call, run: (struck) => runOccWithSqliteFault(argsOn(struck), fault, { env: struck.env }) };
    }

    /** The session is the old one or a whole new one, and the next edit keeps it. */
    async function expectLifeGoesOn(struck: StorageHome, old: string, when: string): Promise<void> {
      const now = struck.read();
      expect(textsOf(now), when).toEqual(textsOf(old));
      if (name === 'clone') expect(now, when).toBe(old);
      if (now !== old) expect(struck.backups(), when).toContain(old);
      const said = struck.say('after it');
      const done = read(await struck.occ('edit', CLEAN, '--force'));
      if (done.changed) expect(readFileSync(done.backupPath, 'utf8'), when).toBe(now + said);
      expect(textsOf(struck.read()), when).toEqual([...textsOf(old), ...textsOf(said)]);
      expect(struck.faults(), when).toEqual([]);
    }

    test('killed at a change: the session is the old one or the new one', effort, async () => {
      for (const { call, run } of await choosePoints('kill')) {
        const struck = await makeReady();
        const old = struck.read();
        expect((await run(struck)).code, call).toBe(null);
        await expectLifeGoesOn(struck, old, `killed before ${call}`);
      }
    });

    test('a disk that is full from a change on: refused, and nothing is changed', effort, async () => {
      for (const { call, run } of await choosePoints('full')) {
        const struck = await makeReady();
        const old = struck.read();
        const ran = await run(struck);
        const when = `no space at ${call}: ${ran.stderr}`;
        // After the swap it says so.
        const isDone = ran.code === 0 || ran.stderr.includes('TRANSCRIPT_NOT_SYNCED');
        if (!isDone) {
          expect(refused(ran).hint, when).not.toBe('');
          expect(struck.read(), when).toBe(old);
        }
        await expectLifeGoesOn(struck, old, when);
      }
    });
  });
});

/** A change that the command makes, at which it can be struck. */
interface Point {
  readonly call: string;
  run(struck: StorageHome): Promise<OccRun>;
}

type Strike = 'kill' | 'full';

/** What fails on a full disk. */
const SPACE_TAKING = ['write', 'open', 'link', 'mkdir'] as const;
const SQLITE_FULL = 13;

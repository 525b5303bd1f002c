import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { HUNT, isTorture, LONG, sample } from '../../../../test/setup/hunt.ts';
import { runOccWithFault } from '../setup/faults.ts';
import { cleanEnvironment, OCC_LAUNCHER, type OccRun, runOcc } from '../setup/run-occ.ts';
import { makeLastingFolder, makeTempFolder } from '../setup/temp-folder.ts';
import { CANNOT_MOUNT, makeReadOnly, mountTinyDisk } from '../setup/tiny-disk.ts';
import {
  copyHome,
  furnish,
  type Home,
  homeIn,
  listLeftovers,
  occ,
  readBackups,
  SESSION_ID,
  talk,
} from './homes.ts';
import { inLanes } from './in-lanes.ts';
import { listCalls, type Operation, prepare } from './kill-lab.ts';

// Hundreds of processes: on a machine with other work to do they take their time.
vi.setConfig({ testTimeout: 600_000 });

const root = makeLastingFolder();
let scratches = 0;
const makeScratch = () => join(root, `s${++scratches}`);

let furnished: Home;
let edited: Home;
beforeAll(async () => {
  furnished = homeIn(makeScratch(), 'openclaw');
  await furnish(furnished);
  edited = copyHome(furnished, makeScratch());
  await occ(edited, ['edit', '--strip-tools=extreme']);
  talk(edited, 'after the third edit');
});

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  edit: ['edit', SESSION_ID, '--strip-tools=extreme', '--json'],
  clone: ['clone', SESSION_ID, '--strip-tools=extreme', '--json'],
  restore: ['restore', SESSION_ID, '--json'],
};
/** What a single failed call can come to. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  edit: ['EDIT_FAILED', 'TRANSCRIPT_NOT_SYNCED', 'done: The session was changed'],
  // The note of a clone in progress that cannot be taken away is swept later.
  clone: ['CLONE_FAILED', 'done: undefined'],
  restore: ['RESTORE_FAILED', 'TRANSCRIPT_NOT_SYNCED', 'done: The session was changed'],
};
const homeOf = (command: string) => (command === 'restore' ? edited : furnished);

/** What must not change, by hash, so that a difference can be read. */
interface State {
  session: string;
  backups: string[];
  names: string[];
  index: unknown;
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

function look(home: Home): State {
  return {
    session: hash(readFileSync(home.path)),
    backups: [...readBackups(home)].map(([name, bytes]) => `${name} ${hash(bytes)}`),
    // A journal may say more than before, and a lock that could not be removed is its dead holder's.
    names: readdirSync(dirname(home.path)).filter((name) => !/\.(occ\.json|lock|tmp)$/.test(name)),
    index: JSON.parse(readFileSync(join(dirname(home.path), 'sessions.json'), 'utf8')),
  };
}

/** Exit 1, one JSON object that says what to do, and everything is as it was. */
function expectRefused(run: OccRun, home: Home, before: State, when: string): void {
  expect({ code: run.code, stdout: run.stdout }, `${when}: ${run.stderr}`).toEqual({ code: 1, stdout: '' });
  const { success, error } = JSON.parse(run.stderr);
  expect(success, when).toBe(false);
  // The finer code, where a call on disk has failed.
  const { reason = 'NONE', ...told } = error;
  expect(reason, when).toMatch(/^[A-Z_]+$/);
  expect(told, when).toEqual({
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.any(String),
    hint: expect.any(String),
  });
  expect(look(home), when).toEqual(before);
}

describe.each(Object.keys(COMMANDS))('%s', (command) => {
  let home: Home;
  let before: State;
  const args = COMMANDS[command]!;
  /** The gate has one command of each kind of disk: they write by the same room. */
  const effort = command === 'edit' ? HUNT : LONG;
  beforeEach(() => {
    home = copyHome(homeOf(command), makeScratch());
    before = look(home);
  });

  test(
    'each change on disk fails once: refused with everything as it was, or done and said so',
    HUNT,
    async () => {
      const operation: Operation = await prepare(
        command,
        home,
        [args[0]!, ...args.slice(2, -1)],
        makeScratch(),
      );
      const calls = await listCalls(operation, makeScratch());
      const faults = calls.flatMap((call, index) => {
        const [op] = call.split(' ');
        // Removing a name takes no room, and what fails in a sync or a rename is the disk itself.
        if (op === 'unlink') return [];
        return { at: index + 1, strike: op === 'fsync' || op === 'rename' ? 'EIO' : 'ENOSPC', call } as const;
      });
      const outcomes = new Set<string>();
      await inLanes(sample(faults, { gate: 3 }), async ({ at, strike, call }) => {
        const copy = copyHome(home, makeScratch());
        const run = await runOccWithFault(args, { at, strike, under: copy.folder }, { env: copy.env });
        const when = `${command}, ${strike} at call ${at} (${call.split('/').at(-1)})`;
        const isDone = run.code === 0 || run.stderr.includes('TRANSCRIPT_NOT_SYNCED');
        outcomes.add(
          run.code === 0
            ? `done: ${JSON.parse(run.stdout).note?.slice(0, 23)}`
            : JSON.parse(run.stderr).error.code,
        );
        if (!isDone) expectRefused(run, copy, before, when);
        else if (command !== 'clone') expect(look(copy).session, when).toBe(hash(operation.after));
        expect((await occ(copy, ['edit', '--keep', '0'])).code, when).toBe(0);
        expect(listLeftovers(copy), when).toEqual([]);
      });
      if (isTorture) expect([...outcomes].sort()).toEqual(OUTCOMES[command]);
      else expect(OUTCOMES[command]).toEqual(expect.arrayContaining([...outcomes]));
    },
  );

  test('a disk that is full from the first write on', effort, async () => {
    const run = await runOccWithFault(
      args,
      { at: 1, strike: 'ENOSPC', forGood: true, ops: ['write', 'open', 'link', 'mkdir'], under: home.folder },
      { env: home.env },
    );
    expectRefused(run, home, before, command);
    expect(run.stderr).toContain('ENOSPC');
  });

  test('a limit on the size of files (ulimit -f): refused, nothing left', effort, () => {
    // 4 KB hold a lock or the journal, not the session.
    const limited = spawnSync(
      'bash',
      ['-c', 'ulimit -f 4; exec "$@"', 'bash', process.execPath, OCC_LAUNCHER, ...args],
      { encoding: 'utf8', env: cleanEnvironment(home.env), cwd: home.folder },
    );
    expectRefused({ code: limited.status, ...limited }, home, before, command);
    expect(limited.stderr).toContain('EFBIG');
    expect(listLeftovers(home)).toEqual([]);
  });

  test(
    'a full disk (a small tmpfs): refused, nothing left, and done when there is room',
    effort,
    async ({ skip }) => {
      const disk = makeTempFolder();
      if (!mountTinyDisk(disk, 4 * 1024 * 1024)) skip(CANNOT_MOUNT);
      const there = copyHome(homeOf(command), join(disk, 'home'));
      const filler = join(disk, 'filler');
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']);
      const full = look(there);
      const run = await runOcc(args, { env: there.env });
      expectRefused(run, there, full, command);
      expect(run.stderr).toMatch(/ENOSPC|no space/);
      expect(listLeftovers(there)).toEqual([]);
      spawnSync('rm', [filler]);
      expect((await runOcc(args, { env: there.env })).code).toBe(0);
    },
  );

  test('a read-only disk: refused, and reading works', effort, async ({ skip }) => {
    const disk = makeTempFolder();
    if (!mountTinyDisk(disk, 4 * 1024 * 1024)) skip(CANNOT_MOUNT);
    const there = copyHome(homeOf(command), join(disk, 'home'));
    const full = look(there);
    if (!makeReadOnly(disk)) skip('the tmpfs cannot be made read-only');
    const run = await runOcc(args, { env: there.env });
    expectRefused(run, there, full, command);
    expect(run.stderr).toMatch(/EROFS|read-only/);
    for (const reading of ['list', 'info']) {
      const words = reading === 'list' ? [reading] : [reading, SESSION_ID];
      expect((await runOcc([...words, '--json'], { env: there.env })).code).toBe(0);
    }
  });

  test('a folder with the name of the lock or the new file: refused with a clear error', async () => {
    if (command !== 'clone') mkdirSync(`${home.path}.lock`);
    const target = join(home.folder, 'taken');
    mkdirSync(target);
    const run = await runOcc(command === 'clone' ? [...args, '-o', target] : args, { env: home.env });
    expectRefused(run, home, look(home), command);
    expect(look(home).session).toEqual(before.session);
  });
});

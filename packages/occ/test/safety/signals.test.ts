/** Ctrl-C and its kin: what is unfinished is undone at once, what is done stays done, and nothing is left in between. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { HUNT, isTorture, sample } from '../../../../test/setup/hunt.ts';
import { cleanEnvironment, OCC_LAUNCHER } from '../setup/run-occ.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import { copyHome, furnish, type Home, homeIn, occ, talk } from './homes.ts';
import { inLanes } from './in-lanes.ts';
import { listCalls, type Operation, prepare, signalAtCall } from './kill-lab.ts';

// Many processes: on a machine with other work to do they take their time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const root = makeLastingFolder();
let scratches = 0;
const makeScratch = () => join(root, `s${++scratches}`);

let openclaw: Home;
const operations: Operation[] = [];

beforeAll(async () => {
  const edit = ['edit', '--strip-tools=extreme'];
  for (const source of ['openclaw', 'pi', 'claude'] as const) {
    const home = homeIn(makeScratch(), source);
    await furnish(home);
    operations.push(await prepare(`edit of ${source}`, home, edit, makeScratch()));
    if (source !== 'openclaw') continue;
    openclaw = home;
    operations.push(await prepare('clone', home, ['clone', '--keep', '2'], makeScratch()));
    const edited = copyHome(home, makeScratch());
    await occ(edited, edit);
    talk(edited, 'after the third edit');
    operations.push(await prepare('restore', edited, ['restore'], makeScratch()));
  }
});

/**
 * In each phase: while the new file is written, and where a lock, a backup, the journal, the session or the index gets its name.
 * In torture at every call. pi and Claude Code differ from OpenClaw in a few places, so less of theirs is enough.
 */
function isChosen({ home }: Operation, call: string): boolean {
  if (isTorture) return true;
  const phases = home.source === 'openclaw' ? /^(?:link|rename) |^write .*\.jsonl\.\d+\./ : /^rename /;
  return phases.test(call);
}

test('at changes that edit, clone and restore make on disk', HUNT, async () => {
  const points: { operation: Operation; at: number }[] = [];
  for (const operation of operations) {
    const calls = await listCalls(operation, makeScratch());
    for (const [index, call] of calls.entries()) {
      if (isChosen(operation, call)) points.push({ operation, at: index + 1 });
    }
  }
  expect(points.length).toBeGreaterThan(20);
  await inLanes(sample(points, { gate: 4 }), ({ operation, at }) =>
    signalAtCall(operation, at, SIGNALS[at % SIGNALS.length]!, makeScratch()),
  );
});

/** Another process that holds a lock: one of this process would be an ancestor of the command's. */
const HOLD = `import { acquireLock } from '@openbot/sessions/disk';
await acquireLock(process.argv[1]);
process.stdout.write('held');
setInterval(() => {}, 1000);`;

/** Says so when the program listens for signals. */
const TELL = `data:text/javascript,process.on('newListener', (name) => {
  if (name === 'SIGHUP') setImmediate(() => process.stderr.write('listening'));
});`;

test.each(sample(SIGNALS, { gate: 1 }))('%s while it waits for a session in use', HUNT, async (signal) => {
  const home = copyHome(openclaw, makeScratch());
  const holder = spawn(
    process.execPath,
    ['--conditions=openbot-source', '--input-type=module', '-e', HOLD, `${home.path}.lock`],
    { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const names = listAll(home);
  const args = ['--import', TELL, OCC_LAUNCHER, 'edit', home.path, '--strip-tools', '--wait=60'];
  const child = spawn(process.execPath, args, {
    env: cleanEnvironment(home.env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  await once(child.stderr, 'data');
  await sleep(300);
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  expect(listAll(home)).toEqual(names);
});

test('the demo leaves no folder', async () => {
  const temp = makeScratch();
  mkdirSync(temp);
  const child = spawn(process.execPath, [OCC_LAUNCHER, 'demo'], {
    env: cleanEnvironment({ TMPDIR: temp }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  expect(readdirSync(temp)).toHaveLength(1);
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
  expect(readdirSync(temp)).toEqual([]);
});

const listAll = (home: Home) => readdirSync(home.folder, { recursive: true, encoding: 'utf8' }).sort();

import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { BotHome, Chat, PARROT } from './bot-home.ts';

const CHILD = programOf(import.meta.dirname, 'say-process.ts');

test('two commands on one session are both answered, one run at a time', async () => {
  const home = new BotHome();
  const run = promisify(execFile);
  const say = async (name: string) => {
    const { stdout } = await run(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      CHILD,
      home.stateDir,
      name,
      '3',
    ]);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [a, b] = await Promise.all([say('a'), say('b')]);
  for (const [name, answers] of [
    ['a', a],
    ['b', b],
  ] as const) {
    expect(answers).toEqual([1, 2, 3].map((n) => ({ outcome: 'answered', texts: [`to ${name}-${n}`] })));
  }
  // Each question is followed by its own answer: no run began inside another.
  const said = home.saidIn();
  expect(said).toHaveLength(12);
  for (let at = 0; at < said.length; at += 2) {
    expect(said[at + 1]).toBe(said[at]!.replace('user: ', 'assistant: to '));
  }
  home.checkTranscripts();
});

/** A disk of 4 MB, where this machine allows one. */
function mountSmallDisk(): string | undefined {
  const folder = makeTempFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  afterTest(() => execFileSync('umount', ['-l', folder]));
  return folder;
}

test('nothing is lost on a full disk', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('a disk in memory cannot be mounted here');
  const home = new BotHome(join(disk, 'state'));
  const chat = new Chat();
  const bot = await home.open({ channels: [chat.channel], play: PARROT });
  await chat.write('ada', 'say one', { id: 'm1' });
  await bot.idle();

  mkdirSync(join(disk, 'ballast'));
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'ballast', 'all'), Buffer.alloc(bavail * bsize));
  // Either it is refused, and the network delivers it again, or it is kept and answered later.
  await chat.write('ada', 'say two', { id: 'm2' }).catch(() => {});
  await sleep(500);
  expect(chat.shown.filter((line) => line === 'ada: two').length).toBeLessThanOrEqual(1);

  rmSync(join(disk, 'ballast'), { recursive: true });
  await chat.channel.deliver();
  await bot.idle();
  expect(chat.shown).toEqual(['ada: one', 'ada: two']);
  expect(home.turnsOf().flat()).toEqual(['m1', 'm2']);
  home.checkTranscripts();
});

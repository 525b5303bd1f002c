/** `openbot outbox`: dead letters of a state folder. */
import { readdirSync } from 'node:fs';
import { listMisfits } from '@openbot/sessions/command-line';
import { expect, it } from 'vitest';
import { noTerminal, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { OUTBOX_LIST } from '../../src/commands/outbox/result-shapes.ts';
import { openState } from '../../src/state/open-state.ts';
import { outbound } from '../outbox/outbound.ts';
import { COMMAND } from '../setup/command-file.ts';
import { type Home, makeHome } from '../setup/run-openbot.ts';

/** Three dead letters and one that waits. */
async function makeHomeWithLetters(): Promise<Home> {
  const home = makeHome();
  const state = await openState(home.stateDir);
  await state.outbox.put(['a', 'b', 'c'].map((key) => outbound(key, key)));
  const claim = { channel: 'telegram', accountId: 'default', owner: 'me', now: 1, leaseMs: 9, limit: 3 };
  for (const { key } of await state.outbox.claim(claim))
    await state.outbox.dead(key, 'me', { error: `chat not found\u001b[31m`, at: 1000 });
  await state.outbox.put([outbound('d', 'd')]);
  await state.close();
  return home;
}

const stateOf = async (home: Home) => {
  const state = await openState(home.stateDir);
  const counts = await state.outbox.counts();
  await state.close();
  return counts;
};

it('lists, retries and drops', async () => {
  const home = await makeHomeWithLetters();
  const before = readdirSync(home.stateDir);
  const listed = await home.json<{ id: number; to: string }[]>('outbox', 'list');
  expect(listMisfits(OUTBOX_LIST, listed)).toEqual([]);
  expect(listed.map(({ to }) => to)).toEqual(['c', 'b', 'a']);
  expect(await home.json<unknown[]>('outbox', 'list', '--all', '-n', '9')).toHaveLength(4);
  expect(readdirSync(home.stateDir)).toEqual(before);
  for (const columns of [40, 80, 200]) {
    const { stdout } = await home.run(['outbox', 'list'], { columns, isTTY: true });
    expect(stdout).toMatch(/ID {2}.*TO.*\n.*telegram:c/);
    expect(stdout).not.toContain('\u001b[31m');
  }
  const [c, b, a] = listed.map(({ id }) => String(id)) as [string, string, string];
  expect(await home.json('outbox', 'retry', a)).toEqual({ retried: [Number(a)] });
  expect(await stateOf(home)).toMatchObject({ waiting: 2, dead: 2 });
  const refused = await home.run(['outbox', 'drop', b]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('needs --yes')]);
  expect(await home.json('outbox', 'drop', b, '--yes')).toEqual({ dropped: [Number(b)] });
  const twice = await home.run(['outbox', 'drop', b, '--yes']);
  expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining(`no letter ${b}`)]);
  expect((await home.run(['outbox', 'drop', '--all', '--yes'])).stdout).toBe(`Removed: ${c}.\n`);
  expect((await home.run(['outbox', 'list'])).stdout).toBe(
    'No dead letters.\n2 wait to be sent: openbot outbox list --all\n',
  );
  expect(await stateOf(home)).toMatchObject({ waiting: 2, dead: 0 });
  expect(await home.json('outbox', 'drop', a, '--yes')).toEqual({ dropped: [Number(a)] });
  expect(await stateOf(home)).toMatchObject({ waiting: 1, dead: 0 });
});

it.each([
  [['retry'], /Which letter/],
  [['retry', '1', '--all'], /contradict/],
  [['drop', 'x', '--yes'], /x is not the id/],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await makeHome().run(['outbox', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it('a folder without messages is left as it is', async () => {
  const home = makeHome();
  expect((await home.run(['outbox', 'list'])).stdout).toBe('No dead letters.\n');
  expect((await home.run(['outbox', 'retry', '--all'])).stdout).toBe('No dead letters.\n');
  expect(() => readdirSync(home.stateDir)).toThrow();
});

it.skipIf(noTerminal !== undefined)(`asks at a terminal ${noTerminal ?? ''}`, async () => {
  const home = await makeHomeWithLetters();
  const drop = startInTerminal([process.execPath, ...COMMAND, 'outbox', 'drop', '--all'], {
    cwd: home.folder,
    env: home.env,
  });
  await drop.shows(/Remove 3 letters for good\? \[y\/N\] /);
  drop.child.stdin!.write('n\n');
  expect((await drop.ended).code).toBe(130);
  expect(await stateOf(home)).toMatchObject({ dead: 3 });
});

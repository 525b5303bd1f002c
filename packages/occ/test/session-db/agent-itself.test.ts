import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { endScheduledEdits } from '../in-use/scheduled-processes.ts';
import { OCC_LAUNCHER } from '../setup/run-occ.ts';
import { startChild } from '../setup/start-child.ts';
import { type DatabaseHome, makeHome } from './database-home.ts';
import { readAsFile } from './look-into.ts';

const GATEWAY = new URL('./children/openclaw-gateway.ts', import.meta.url);
const ID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

let home: DatabaseHome;
let env: Record<string, string>;
beforeEach(() => {
  const make = (sessionId: string, seed: number) =>
    generateEvents({ seed, turns: 5, rounds: 2, resultLength: 2000, sessionId });
  home = makeHome([
    { key: 'agent:main:main', events: make(ID, 1), entry: { totalTokens: 90_000 } },
    // More recently active: it is the open call that tells who is calling.
    { key: 'agent:main:other', events: make(OTHER, 2), entry: { updatedAt: Date.UTC(2040, 0, 1) } },
  ]);
  const bin = join(home.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'occ'), `#!/bin/sh\nexec '${process.execPath}' '${OCC_LAUNCHER}' "$@"\n`);
  chmodSync(join(bin, 'occ'), 0o755);
  env = { ...home.env, PATH: `${bin}:${process.env.PATH}` };
});
endScheduledEdits(() => join(home.sessions, `${ID}.jsonl`));

const AT_ONCE = "--when-idle has no effect in OpenClaw's database: the session was edited at once.";

test.each(sample(['', ` ${ID}`, ' --when-idle', ' --wait=100'], { gate: 2 }))(
  'an agent that cleans itself (occ edit%s): at once, and its run goes on with the call that waits',
  HUNT,
  async (words) => {
    const agent = startChild(GATEWAY, [home.path, ID, `occ edit${words} --strip-tools=extreme --json`], env);
    const called = JSON.parse(await agent.said('called'));
    expect(called).toMatchObject({ code: 0, stderr: '' });
    const done = JSON.parse(called.stdout);
    expect(done).toMatchObject({
      sessionId: ID,
      changed: true,
      note: expect.stringMatching(
        /continues with what it has in memory.*next turn reads the cleaned session/,
      ),
    });
    expect(done).not.toHaveProperty('scheduled');
    expect(done.note.includes(AT_ONCE)).toBe(words.includes('--when-idle'));
    expect(findDatabaseFaults(home.path)).toEqual([]);
    const during = readAsFile(home.path, ID);
    const calls = [...during.matchAll(/"type":"toolCall","id":"([^"]+)"/g)].map(([, id]) => id);
    expect(calls).toEqual(['call_clean']);
    expect(home.backups(ID)[1]).toContain('call_clean');

    agent.tell('end');
    await agent.said('did end');
    expect(await agent.ended).toBe(0);
    const after = readAsFile(home.path, ID);
    expect(after.startsWith(during)).toBe(true);
    expect(after).toContain('I am clean.');
    expect(findDatabaseFaults(home.path)).toEqual([]);
    expect(home.backups(OTHER)).toEqual({});
  },
);

test('--when-idle without a run: edited at once, and said so where something was', async () => {
  const edit = ['edit', ID, '--strip-tools=extreme', '--when-idle'];
  const done = await home.json(...edit);
  expect(done).toMatchObject({ changed: true, note: AT_ONCE });
  expect(done).not.toHaveProperty('scheduled');
  const { changed, note } = await home.json(...edit);
  expect(changed).toBe(false);
  expect(note).not.toContain('--when-idle');
});

test('for people the output says the same', LONG, async () => {
  const agent = startChild(GATEWAY, [home.path, ID, 'occ edit --strip-tools=extreme'], env);
  const { code, stdout } = JSON.parse(await agent.said('called'));
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('its run continues with what it has in memory');
});

test('a run in progress that is all that there is: nothing is changed, and it is said that there will be', async () => {
  const folder = join(home.folder, 'greeting');
  const events = generateEvents({ seed: 3, turns: 1, rounds: 0, resultLength: 10, sessionId: ID });
  home = makeHome([{ key: 'agent:main:main', events }], folder);
  const agent = startChild(GATEWAY, [home.path, ID, 'occ edit --strip-tools=extreme --json'], {
    ...env,
    ...home.env,
  });
  const { stdout } = JSON.parse(await agent.said('called'));
  expect(JSON.parse(stdout)).toMatchObject({
    changed: false,
    note: expect.stringMatching(/^Nothing to clean yet.*Run the edit again when it has ended/),
  });
});

const BINDING_MODEL = 'claude-opus-5-5';

test('on a model that binds thinking, an agent that cleans itself is cleaned when its run has ended', async () => {
  const command = `occ edit ${ID} --keep=1 --truncate=0 --json`;
  const agent = startChild(GATEWAY, [home.path, ID, command, BINDING_MODEL], env);
  const { stdout } = JSON.parse(await agent.said('called'));
  expect(JSON.parse(stdout)).toMatchObject({
    changed: false,
    scheduled: true,
    note: expect.stringContaining('binds thinking'),
  });
  expect(home.backups(ID)).toEqual({});
  agent.tell('end');
  await agent.said('did end');
  expect(await agent.ended).toBe(0);
  let scheduled = { state: 'waiting', result: {} };
  while (scheduled.state === 'waiting') scheduled = (await home.json('info', ID)).lastScheduledEdit;
  expect(scheduled.result).toMatchObject({ changed: true, statistics: { thinkingUnbound: 2 } });
  const after = readAsFile(home.path, ID);
  expect(after).toContain('call_clean');
  expect(after).toContain('I am clean.');
  expect(after).not.toContain('c2ln');
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test.each([
  ['', { code: 'SESSION_IN_USE', hint: expect.stringContaining('--force') }],
  [' --force', undefined],
])('on such a model an agent that restores itself (occ restore%s)', LONG, async (flag, error) => {
  await home.json('edit', ID, '--keep=1', '--truncate=0');
  const cleaned = readAsFile(home.path, ID);
  const agent = startChild(GATEWAY, [home.path, ID, `occ restore ${ID}${flag} --json`, BINDING_MODEL], env);
  const { stdout, stderr } = JSON.parse(await agent.said('called'));
  if (error !== undefined) {
    expect(JSON.parse(stderr).error).toMatchObject(error);
    expect(readAsFile(home.path, ID).startsWith(cleaned)).toBe(true);
  } else {
    expect(JSON.parse(stdout)).toMatchObject({
      thinkingUnbound: 1,
      note: expect.stringMatching(
        /next turn reads the restored session\. What it thinks until then is bound/,
      ),
    });
  }
  agent.tell('end');
  await agent.said('did end');
  expect(await agent.ended).toBe(0);
});

test('on such a model a run of another program is waited for, or the edit refused', async () => {
  const agent = startChild(GATEWAY, [home.path, ID, 'true', BINDING_MODEL], env);
  await agent.said('called');
  const refused = await home.occ('edit', ID, '--strip-tools=extreme');
  expect(refused.stderr).toMatch(/in use.*--wait.*--when-idle/s);
  const waiting = home.json('edit', ID, '--strip-tools=extreme', '--wait=60000');
  agent.tell('end');
  await agent.said('did end');
  expect(await waiting).toMatchObject({ changed: true });
  expect(readAsFile(home.path, ID)).not.toContain('c2ln');
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns, formatLines, readLines, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { endScheduledEdits } from './scheduled-processes.ts';

const ID = '11111111-2222-3333-4444-555555555555';
const OTHER = '99999999-2222-3333-4444-555555555555';
const KEY = 'agent:molt:telegram:direct:42';
const TURNS = createSessionWithTurns(6, 2, { tree: true, resultLength: 2000 });

let folder: string;
let stateDir: string;
let path: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = makeTempFolder();
  stateDir = join(folder, 'state');
  path = writeSession(stateDir, 'molt', ID, TURNS, { sessionKey: KEY, entry: { label: 'Mine' } });
  env = { OPENCLAW_STATE_DIR: stateDir, OPENCLAW_SHELL: 'exec' };
});
endScheduledEdits(() => path);

/** The agent of the session has called a command and waits for its result. */
function callFrom(transcript: string, command: string, age: 'fresh' | 'old'): void {
  const parentId = readLines(transcript).at(-1)!.id;
  const content = [{ type: 'toolCall', id: 'call_clean', name: 'exec', arguments: { command } }];
  const message = { role: 'assistant', content, stopReason: 'toolUse' };
  const line = { type: 'message', id: 'run-1', parentId, timestamp: new Date().toISOString(), message };
  appendFileSync(transcript, formatLines([line]));
  if (age === 'old') utimesSync(transcript, new Date(), new Date(Date.now() - 600_000));
}

describe('an OpenClaw agent that names its own session: the edit is scheduled, at any age of the file', () => {
  test.each(
    sample(
      [
        ['its id', ['edit', ID, '--strip-tools=extreme', '--agent', 'molt', '--json'], 'fresh'],
        ['its id', ['edit', ID, '--strip-tools=extreme', '--agent', 'molt', '--json'], 'old'],
        [
          'the beginning of its id',
          ['edit', '1111', '--strip-tools=extreme', '--agent=molt', '--json'],
          'old',
        ],
        ['its key', ['edit', KEY, '--strip-tools=extreme', '--json'], 'old'],
        ['its label', ['edit', 'Mine', '--strip-tools=extreme', '--all-agents', '--json'], 'fresh'],
      ] as const,
      { gate: 2 },
    ),
  )('by %s: %j, %s', HUNT, async (_, args, age) => {
    callFrom(path, `occ ${args.join(' ')}`, age);
    const before = readFileSync(path);
    const { code, stdout, stderr } = await runOcc(args, { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      sessionId: ID,
      changed: false,
      scheduled: true,
      note: expect.stringContaining('own run, which a rewrite would abort'),
    });
    expect(readFileSync(path)).toEqual(before);
  });

  test('by its path, through a link', LONG, async () => {
    const link = join(folder, 'link');
    symlinkSync(dirname(path), link);
    const args = ['edit', join(link, `${ID}.jsonl`), '--strip-tools=extreme', '--json'];
    callFrom(path, `occ ${args.join(' ')}`, 'old');
    const { stdout } = await runOcc(args, { env });
    expect(JSON.parse(stdout)).toMatchObject({ scheduled: true });
  });

  test('without --json the output says whose session it is', LONG, async () => {
    callFrom(path, `occ edit ${KEY} --strip-tools=extreme`, 'old');
    const { code, stdout } = await runOcc(['edit', KEY, '--strip-tools=extreme'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`Edit scheduled: ${ID}\n  Chosen: the session that is running this command`);
  });

  test('a restore is refused, and does not advise the run to wait for itself', async () => {
    await runOcc(['edit', KEY, '--strip-tools=extreme'], { env: { OPENCLAW_STATE_DIR: stateDir } });
    callFrom(path, `occ restore ${KEY} --json`, 'old');
    const before = readFileSync(path);
    const { code, stderr } = await runOcc(['restore', KEY, '--json'], { env });
    expect(code).toBe(1);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({
      code: 'SESSION_IN_USE',
      hint: expect.stringContaining('when the run has ended'),
    });
    expect(error.hint).not.toContain('--wait');
    expect(readFileSync(path)).toEqual(before);
  });
});

test('an OpenClaw agent that names another session than its own edits that one at once', async () => {
  const other = writeSession(stateDir, 'molt', OTHER, TURNS);
  const args = ['edit', OTHER, '--strip-tools=extreme', '--agent', 'molt', '--json'];
  callFrom(path, `occ ${args.join(' ')}`, 'fresh');
  // Left behind in the middle of a call that looks alike.
  callFrom(other, 'occ edit --strip-tools', 'old');
  const { stdout } = await runOcc(args, { env });
  expect(JSON.parse(stdout)).toMatchObject({ sessionId: OTHER, changed: true });
});

test('outside of an agent the same call is only one that was left behind', async () => {
  callFrom(path, `occ edit ${KEY} --strip-tools=extreme --json`, 'old');
  const { stdout } = await runOcc(['edit', KEY, '--strip-tools=extreme', '--json'], {
    env: { OPENCLAW_STATE_DIR: stateDir },
  });
  expect(JSON.parse(stdout)).toMatchObject({ changed: true });
});

describe('pi', () => {
  let own: string;
  beforeEach(() => {
    const sessions = join(folder, 'pi', 'sessions', '--work--');
    mkdirSync(sessions, { recursive: true });
    own = join(sessions, `2026-01-01T00-00-00-000Z_${OTHER}.jsonl`);
    const lines = createSessionWithTurns(6, 2, { tree: true, resultLength: 2000, sessionId: OTHER });
    writeFileSync(own, formatLines(lines));
    env = {
      OPENCLAW_STATE_DIR: stateDir,
      PI_CODING_AGENT: 'true',
      PI_CODING_AGENT_DIR: join(folder, 'pi'),
    };
  });

  test.each([
    ['names its own session', ['edit', OTHER, '--strip-tools=extreme', '--source', 'pi', '--json']],
    ['names no session, beside an OpenClaw', ['edit', '--strip-tools=extreme', '--json']],
  ])('that %s: cleaned at once, with a note from when on it counts', async (_, args) => {
    callFrom(own, `occ ${args.join(' ')}`, 'fresh');
    const { code, stdout, stderr } = await runOcc(args, { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      sessionId: OTHER,
      changed: true,
      note: expect.stringContaining('next resume'),
    });
  });

  test('with --when-idle it is scheduled, and nothing is said of a run that would be aborted', async () => {
    // The journal of a session of pi stands beside its backups.
    path = join(dirname(own), 'backups', basename(own));
    const args = ['edit', '--strip-tools=extreme', '--when-idle', '--json'];
    callFrom(own, `occ ${args.join(' ')}`, 'fresh');
    const { note, ...result } = JSON.parse((await runOcc(args, { env })).stdout);
    expect(result).toMatchObject({ sessionId: OTHER, scheduled: true });
    expect(note).toContain("called from the session's own run. The edit is made");
  });
});

test('where there is nothing to clean nothing is scheduled', async () => {
  const args = ['edit', KEY, '--keep=50', '--truncate=0', '--json'];
  callFrom(path, `occ ${args.join(' ')}`, 'fresh');
  const result = JSON.parse((await runOcc(args, { env })).stdout);
  expect(result).toMatchObject({ changed: false, note: expect.stringContaining('Nothing to clean') });
  expect(result).not.toHaveProperty('scheduled');
  expect(existsSync(join(dirname(path), 'backups'))).toBe(false);
});

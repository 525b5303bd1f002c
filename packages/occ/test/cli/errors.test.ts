import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { reportError } from '@openbot/sessions/command-line';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OCC, run } from '../../src/cli/main.ts';
import { createRecordingTerminal } from '../setup/recording-terminal.ts';
import { runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'occ-errors-'));
  writeSession(stateDir, 'main', 'abc123', createSessionWithTurns(2));
});

afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

it('TC-7.5b failure returns non-zero exit code', async () => {
  const { code, stdout } = await runOcc(['edit', 'bad', '--strip-tools', '--state-dir', stateDir]);
  expect([code, stdout]).toEqual([1, '']);
});

it('TC-7.6a error messages are actionable', async () => {
  const { stderr } = await runOcc(['edit', 'bad', '--strip-tools', '--state-dir', stateDir]);
  expect(stderr).toBe("Error: Session 'bad' not found\n  Use 'occ list' to see available sessions\n");
});

describe('the command line', () => {
  it.each([
    [['edit', 'abc123'], /^Error: Nothing to do: say what to clean\n {2}Add --strip-tools/],
    [['edit', '--strip-tols'], /^Error: Unknown flag: --strip-tols\n {2}Did you mean --strip-tools\?/],
    [['list', 'extra'], /^Error: Unexpected word: 'extra'\n {2}'occ list' takes flags only/],
    [['edit', '--keep'], /^Error: --keep needs a value\n {2}Write --keep <n>\n$/],
    [['edti'], /^Error: Unknown command: edti\n {2}Did you mean edit\?/],
    [
      ['edit', '--strip-tools', 'aggressive'],
      "Error: Session 'aggressive' not found\n  Write a preset after '=': --strip-tools=aggressive\n",
    ],
    [['edit', '--strip-tools=mine'], /^Error: Unknown preset: mine\n {2}Known presets: default, aggressive/],
    [['edit', '--strip-tools', '--wait', '--when-idle'], /^Error: --wait and --when-idle contradict/],
    [['restore', '--list', '--backup', '1'], /^Error: --list and --backup contradict/],
    [['demo', '--agent', 'x'], /^Error: 'occ demo' has no flag --agent\n {2}Most other commands have it/],
    [['list', '--force'], /has no flag --force\n {2}'occ edit', 'occ clone' and 'occ restore' have it/],
    [
      ['clone', 'abc123', '-o', '/nowhere/at-all/x.jsonl'],
      'Error: Cannot write /nowhere/at-all/x.jsonl: there is no folder /nowhere/at-all\n  Create the folder first',
    ],
    [['clone', 'abc123', '-o', '/etc/passwd/x.jsonl', '--dry-run'], /there is no folder \/etc\/passwd\n/],
  ])('occ %j is refused', async (args, text) => {
    const { code, stdout, stderr } = await runOcc(args, { env: { OCC_STATE_DIRECTORY: stateDir } });
    expect(stderr).toMatch(text);
    expect([code, stdout]).toEqual([1, '']);
  });
});

describe('with --json', () => {
  const readError = (stderr: string) => JSON.parse(stderr) as { success: false; error: { code: string } };

  it.each([
    [['info', 'bad', '--json'], {}, 'SESSION_NOT_FOUND'],
    [['list', '--bogus', '--json'], {}, 'USAGE'],
    [['--json'], {}, 'USAGE'],
    [['edit', '--json', '--strip-tools=mine'], {}, 'UNKNOWN_PRESET'],
    [['info', 'bad'], { OCC_OUTPUT_FORMAT: 'json' }, 'SESSION_NOT_FOUND'],
    [['list', '--bogus'], { OCC_OUTPUT_FORMAT: 'json' }, 'USAGE'],
    [['list', '--json'], { OCC_VERBOSE_OUTPUT: 'perhaps' }, 'CONFIG_INVALID'],
  ])('occ %j %j: one object on stderr, nothing on stdout', async (args, env, code) => {
    const answer = await runOcc(args, { env: { OCC_STATE_DIRECTORY: stateDir, ...env } });
    expect(answer.stdout).toBe('');
    expect(answer.code).toBe(1);
    expect(answer.stderr.trimEnd()).not.toContain('\n');
    expect(readError(answer.stderr)).toMatchObject({ success: false, error: { code } });
  });

  it('the hint is a field of its own', async () => {
    const { stderr } = await runOcc(['info', 'bad', '--json', '--state-dir', stateDir]);
    expect(JSON.parse(stderr)).toEqual({
      success: false,
      error: {
        code: 'SESSION_NOT_FOUND',
        message: "Session 'bad' not found",
        hint: "Use 'occ list' to see available sessions",
      },
    });
  });

  it('--no-json takes back what the environment says', async () => {
    const env = { OCC_STATE_DIRECTORY: stateDir, OCC_OUTPUT_FORMAT: 'json' };
    expect((await runOcc(['info', 'bad', '--no-json'], { env })).stderr).toMatch(/^Error: Session 'bad'/);
    expect((await runOcc(['info', '--bad', '--no-json'], { env })).stderr).toMatch(/^Error: Unknown flag/);
  });

  it('is not taken from a word after --', async () => {
    const { stderr } = await runOcc(['info', '--state-dir', stateDir, '--', '--json']);
    expect(stderr).toMatch(/^Error: Session '--json' not found/);
  });
});

describe('a failure that was not foreseen', () => {
  const report = (error: unknown, options: { json?: boolean; verbose?: boolean }, colour = false) => {
    const terminal = createRecordingTerminal(colour);
    const code = reportError(OCC, error, terminal, { json: false, verbose: false, ...options });
    expect([code, terminal.stdout]).toEqual([1, '']);
    return terminal.stderr;
  };

  it('says that it is one', () => {
    expect(report(new TypeError('x is not a function'), {})).toMatch(
      /^Error: x is not a function\n {2}This is a fault in occ/,
    );
    expect(JSON.parse(report('a text', { json: true }))).toMatchObject({
      error: { code: 'UNEXPECTED', message: 'a text' },
    });
  });

  it.each([
    [
      'of the system',
      Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' }),
      'disk',
    ],
    ['of Node', Object.assign(new Error('no'), { code: 'ERR_INVALID_ARG_TYPE' }), 'fault in occ'],
  ])('has one documented code, whatever its own is: %s', (_, error, hint) => {
    expect(JSON.parse(report(error, { json: true }))).toEqual({
      success: false,
      error: { code: 'UNEXPECTED', message: error.message, hint: expect.stringContaining(hint) },
    });
  });

  it('has a hint even where its thrower gave none', () => {
    expect(report(new OpenBotError('EDIT_FAILED', 'x failed'), {})).toMatch(/^Error: x failed\n {2}\w/);
  });

  it('shows where with --verbose', () => {
    expect(report(new TypeError('boom'), { verbose: true })).toContain('errors.test.ts');
    expect(report(new TypeError('boom'), {})).not.toContain('errors.test.ts');
  });

  it('cannot play with the terminal', () => {
    expect(report(new Error('a\u001b[2Jb\nc'), {})).toMatch(/^Error: a\ufffd\[2Jb\n {2}c\n/);
  });

  it('is red on a terminal, and never in JSON', () => {
    expect(report(new Error('x'), {}, true)).toContain('\u001b[31mError:\u001b[39m x\n');
    expect(report(new Error('x'), { json: true }, true)).not.toContain('\u001b');
  });
});

it('output for programs is never coloured, even on a terminal', async () => {
  const surroundings = { env: { HOME: process.env.HOME }, cwd: stateDir };
  const shown = createRecordingTerminal(true);
  expect(await run(['info', 'abc', '--state-dir', stateDir], { ...surroundings, terminal: shown })).toBe(0);
  expect(shown.stdout).toContain('\u001b[');
  const json = createRecordingTerminal(true);
  await run(['info', 'abc', '--json', '--state-dir', stateDir], { ...surroundings, terminal: json });
  expect(json.stdout).not.toContain('\u001b');
  expect(JSON.parse(json.stdout)).toMatchObject({ sessionId: 'abc123' });
});

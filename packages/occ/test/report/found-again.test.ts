/** The command that an edit prints for its undoing, run in the same shell, finds the session that was edited. */
import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type RunOccOptions, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const ID = '26b0c1d2-0000-4000-8000-000000000001';

let home: string;
let stateDir: string;

beforeEach(() => {
  home = realpathSync(makeTempFolder());
  stateDir = join(home, '.openclaw');
});

const add = (agentId: string): string =>
  writeSession(stateDir, agentId, ID, createSessionWithTurns(30, 1, { resultLength: 500 }));

async function editAndUndo(path: string, args: readonly string[], options: RunOccOptions): Promise<string> {
  const original = readFileSync(path);
  const edited = await runOccHere(['edit', ...args, '--strip-tools'], options);
  expect(edited).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(path).equals(original)).toBe(false);
  const [, undo] = /Undo: occ (.*)\n/.exec(edited.stdout)!;
  expect(await runOccHere(undo!.split(' '), options)).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(path).equals(original)).toBe(true);
  return undo!;
}

it('a topic, beside the session that has its id', async () => {
  const topic = join(stateDir, 'agents/main/sessions', `${ID}-topic-42.jsonl`);
  renameSync(add('main'), topic);
  add('main');
  const options = { env: { HOME: home } };
  expect(await editAndUndo(topic, [`${ID}-topic-42`], options)).toBe(`restore ${ID}-topic-42`);
});

it('a session of OpenClaw, from a shell of Claude Code', async () => {
  const options = { env: { HOME: home, CLAUDE_CODE_SESSION_ID: 'c1a0de00-0000-4000-8000-000000000002' } };
  const undo = await editAndUndo(add('main'), [ID, '--source', 'openclaw'], options);
  expect(undo).toBe(`restore ${ID} --source openclaw`);
});

it('a session of main, where the configuration names another agent', async () => {
  add('work');
  const path = add('main');
  writeFileSync(join(home, '.occrc'), 'defaultAgentId=work');
  const options = { env: { HOME: home }, cwd: home };
  expect(await editAndUndo(path, [ID, '--agent', 'main'], options)).toBe(`restore ${ID} --agent main`);
});

it('a session of main, where the environment names another agent', async () => {
  add('work');
  const options = { env: { HOME: home, OPENCLAW_AGENT_ID: 'work' } };
  const undo = await editAndUndo(add('main'), [ID, '--agent', 'main'], options);
  expect(undo).toBe(`restore ${ID} --agent main`);
});

it('a session of the agent that is the default', async () => {
  add('main');
  const options = { env: { HOME: home, OCC_DEFAULT_AGENT_ID: 'work' } };
  expect(await editAndUndo(add('work'), [ID], options)).toBe(`restore ${ID}`);
});

it('a backup, named by its path, leads to the session that it is of', async () => {
  const path = add('work');
  const options = { env: { HOME: home } };
  const original = readFileSync(path);
  await runOccHere(['edit', path, '--strip-tools'], options);
  const { stderr } = await runOccHere(
    ['info', join(dirname(path), 'backups', `${ID}.backup.1.jsonl`)],
    options,
  );
  const [, back] = /To restore it: occ (.*?) — To make/.exec(stderr)!;
  expect(await runOccHere(back!.split(' '), options)).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(path).equals(original)).toBe(true);
});

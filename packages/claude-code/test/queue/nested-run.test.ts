/** A run that is started from within another one. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '@openbot/sessions/disk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { call } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { MARK_VARIABLE } from '../../src/processes/marked-processes.ts';
import { type RunNote, writeRunNote } from '../../src/processes/run-note.ts';
import { startRun } from '../../src/run/claude-run.ts';
import { endedProcess } from '../registry/ended-process.ts';
import { answer, holds, Workbench } from '../run/run-workbench.ts';
import { makeTempFolder } from '../temp-folder.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;

/** Runs that are written down, each within the one before it; the last one starts another. */
async function startWithin(repo: string, ...outer: Partial<RunNote>[]): Promise<unknown> {
  const env = { PATH: process.env.PATH, HOME: repo, CLAUDE_CONFIG_DIR: makeTempFolder() };
  mkdirSync(join(env.CLAUDE_CONFIG_DIR, 'openbot-locks'));
  let insideOf: string | undefined;
  for (const own of outer) {
    const note: RunNote = {
      ...{ sessionId: randomUUID(), repoKey: '/elsewhere', runner: ownIdentity(), mark: randomUUID() },
      insideOf,
      ...own,
    };
    writeRunNote(note, env);
    insideOf = note.mark;
  }
  const run = startRun({
    ...{ task: 'go', agentId: 'main', repoPath: repo, session: { action: 'fresh' } },
    ...{ stateDir: makeTempFolder(), pathToClaudeCodeExecutable: '/bin/false' },
    env: { ...env, ...(insideOf === undefined ? {} : { [MARK_VARIABLE]: insideOf }) },
  });
  return run.outcome.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('is refused in the repository of the run that it is in, however far out', async () => {
  const repo = makeTempFolder();
  const own = { repoKey: repo, sessionId: randomUUID() };
  const refused = {
    code: 'REPO_BUSY',
    message: expect.stringContaining(own.sessionId),
    hint: expect.stringMatching(/\S/),
  };
  expect(await startWithin(repo, own)).toMatchObject(refused);
  expect(await startWithin(repo, own, {}, {})).toMatchObject(refused);
});

test('is none of its own in another repository, or where the outer one has crashed or is not known', async () => {
  const repo = makeTempFolder();
  const runs = { code: 'CLAUDE_NOT_STARTED' };
  const crashed = await endedProcess();
  expect(await startWithin(repo)).toMatchObject(runs);
  expect(await startWithin(repo, {}, {})).toMatchObject(runs);
  expect(await startWithin(repo, { repoKey: repo, runner: crashed })).toMatchObject(runs);
  expect(await startWithin(repo, { repoKey: repo, runner: crashed }, {})).toMatchObject(runs);
  expect(await startWithin(repo, { repoKey: repo }, { insideOf: randomUUID() })).toMatchObject(runs);
  // Notes that lead round in a circle.
  const [one, two] = [randomUUID(), randomUUID()];
  expect(await startWithin(repo, { mark: one, insideOf: two }, { mark: two })).toMatchObject(runs);
});

describe.skipIf(missing !== undefined)(`by a tool of the real Claude Code ${missing ?? ''}`, () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(() => bench?.close());

  /** A script that runs a task in a process of its own, and where what that says goes. */
  function writeInner(name: string, task: string, repoPath: string) {
    const path = join(bench.home.root, `${name}.sh`);
    const output = join(bench.home.root, `${name}.out`);
    const request = JSON.stringify(bench.request(task, { repoPath, allowedTools: ['Bash'] }));
    const child = programOf(import.meta.dirname, '../run/run-child.ts');
    const node = `'${process.execPath}' '${child}'`;
    writeFileSync(path, `exec ${node} '${request}' >'${output}' 2>&1\n`);
    return { command: `sh '${path}'`, read: () => readFileSync(output, 'utf8') };
  }
  /** Who is told a word starts something, once. */
  const script = (commands: Readonly<Record<string, string>>) =>
    bench.api.setReplies((request) => {
      const word = Object.keys(commands).find((key) => holds(request, key));
      return word === undefined || holds(request, `toolu_${word}`)
        ? answer('Done.')
        : { blocks: [call(`toolu_${word}`, 'Bash', { command: commands[word]! })] };
    });

  // The gate has one in the test of `cc run` (openbot, run-limits).
  test('it is refused in its own repository', LONG, async () => {
    const repo = bench.makeRepo('nested');
    const inner = writeInner('nested-inner', 'Be within', repo);
    script({ outermost: inner.command });
    const { run } = bench.start('Be outermost', { repoPath: repo, allowedTools: ['Bash'] });
    expect(await run.outcome).toMatchObject({ result: 'success', text: 'Done.' });
    expect(inner.read()).toMatch(/would wait for itself[\s\S]*REPO_BUSY/);
    expect(inner.read()).not.toContain('"queued"');
  });

  test('it is refused over another repository between, which goes on', LONG, async () => {
    const [repo, other] = [bench.makeRepo('ring-one'), bench.makeRepo('ring-two')];
    const innermost = writeInner('ring-innermost', 'Be innermost', repo);
    const between = writeInner('ring-between', 'Be between', other);
    script({ outermost: between.command, between: innermost.command });
    const { run } = bench.start('Be outermost', { repoPath: repo, allowedTools: ['Bash'] });
    expect(await run.outcome).toMatchObject({ result: 'success', text: 'Done.' });
    expect(innermost.read()).toMatch(/would wait for itself[\s\S]*REPO_BUSY/);
    expect(between.read()).toMatch(/"type":"ended".*"result":"success"/);
  });
});

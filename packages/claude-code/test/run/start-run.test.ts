/** What comes before Claude Code. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRun } from '../../src/run/claude-run.ts';
import type { RunRequest } from '../../src/run-contract/run-request.ts';
import { markOrigin } from '../../src/scan/first-message.ts';
import { makeTempFolder } from '../temp-folder.ts';

function makeRequest(own: Partial<RunRequest> = {}): RunRequest {
  const root = makeTempFolder();
  return {
    task: 'go',
    repoPath: root,
    agentId: 'main',
    stateDir: join(root, 'state'),
    session: { action: 'fresh' },
    env: { PATH: process.env.PATH, HOME: root },
    ...own,
  };
}

test.each<[string, Partial<RunRequest>, string]>([
  ['no task', { task: ' \n' }, 'INVALID_ARGUMENT'],
  [
    'a task that leaves the session that it goes on in',
    { task: ' /clear', session: { action: 'resume', sessionId: '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a01' } },
    'INVALID_ARGUMENT',
  ],
  ['no repository', { repoPath: '/nowhere/at/all' }, 'REPO_NOT_FOUND'],
  ['a budget of nothing', { maxBudgetUsd: 0 }, 'INVALID_ARGUMENT'],
  ['a budget that is none', { maxBudgetUsd: Number.NaN }, 'INVALID_ARGUMENT'],
  ['a time that is none', { idleMs: -1 }, 'INVALID_ARGUMENT'],
  ['no rounds at all', { maxTurns: 0 }, 'INVALID_ARGUMENT'],
  ['a label of two lines', { label: 'a\nb' }, 'INVALID_ARGUMENT'],
  ['a program that is not there', { pathToClaudeCodeExecutable: '/nowhere/claude' }, 'CLAUDE_NOT_STARTED'],
])('is refused by its code: %s', async (_name, own, code) => {
  const run = startRun(makeRequest(own));
  const events: unknown[] = [];
  for await (const event of run.events()) events.push(event);
  await expect(run.outcome).rejects.toMatchObject({ code });
  expect(events).toEqual([]);
});

test.each<[string, Partial<RunRequest>]>([
  ['by the system', { model: 'a\0b' }],
  ['for the length of its command line', { allowedTools: ['x'.repeat(4_000_000)] }],
])('one that cannot be started at all is no success: refused %s', async (_name, own) => {
  const run = startRun(makeRequest({ ...own, pathToClaudeCodeExecutable: '/bin/false' }));
  await expect(run.outcome).rejects.toMatchObject({ code: 'CLAUDE_NOT_STARTED' });
  expect(run.sessionId).toBeUndefined();
});

test('a program that fails at once is quoted, and leaves its repository free', async () => {
  const request = makeRequest({ pathToClaudeCodeExecutable: '/bin/false' });
  await expect(startRun(request).outcome).rejects.toMatchObject({ code: 'CLAUDE_NOT_STARTED' });
  await expect(startRun(request).outcome).rejects.toMatchObject({ code: 'CLAUDE_NOT_STARTED' });
});

test('one that was aborted before it began does nothing', async () => {
  const run = startRun(makeRequest({ signal: AbortSignal.abort() }));
  expect(await run.outcome).toMatchObject({ result: 'aborted', turns: 0, costUsd: 0, unsent: [] });
  expect(run.sessionId).toBeUndefined();
});

test('the marker is the first line, with the id as it is everywhere else', () => {
  expect(markOrigin('Main', 'go\non')).toBe('[openclaw:agent=main]\n\ngo\non');
});

test('the SDK is loaded by the first run and not before, and its absence is said', () => {
  const index = join(import.meta.dirname, '../../src/index.ts');
  const root = makeTempFolder();
  const script = `
    import { registerHooks } from 'node:module';
    const asked = [];
    registerHooks({
      resolve(name, context, next) {
        if (!name.includes('claude-agent-sdk')) return next(name, context);
        asked.push(name);
        throw Object.assign(new Error('not there'), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });
    const { startRun } = await import(${JSON.stringify(index)});
    const before = asked.length;
    const run = startRun({ task: 'go', repoPath: ${JSON.stringify(root)}, agentId: 'main', stateDir: ${JSON.stringify(join(root, 'state'))} });
    const error = await run.outcome.catch((error) => error);
    console.log(JSON.stringify([before, error.code, error.message, error.hint]));`;
  const args = ['--conditions=openbot-source', '--input-type=module', '--eval', script];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([
    0,
    'SDK_NOT_INSTALLED',
    expect.stringContaining('@anthropic-ai/claude-agent-sdk'),
    'npm install @anthropic-ai/claude-agent-sdk',
  ]);
});

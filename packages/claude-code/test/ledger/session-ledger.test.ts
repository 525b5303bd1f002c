import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { closeCrashed } from '../../src/ledger/session-history.ts';
import { SessionLedger } from '../../src/ledger/session-ledger.ts';
import { isRunning } from '../../src/registry/is-running.ts';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';
import { readRegistry, resolveRegistryPath, updateRegistry } from '../../src/registry/registry-file.ts';
import { endedProcess } from '../registry/ended-process.ts';
import { registered } from '../registry/registered.ts';
import { git, makeRepo } from '../repo/git.ts';
import { makeTempFolder } from '../temp-folder.ts';

const ID = '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a01';
const OTHER = '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a02';
const ELSEWHERE = '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a03';

function makeLedgerRoom() {
  const root = makeTempFolder();
  const stateDir = join(root, 'state');
  const folder = join(root, 'claude', 'projects', '-repo');
  mkdirSync(folder, { recursive: true });
  const env = { CLAUDE_CONFIG_DIR: join(root, 'claude') };
  const warnings: string[] = [];
  const open = (own: Partial<Parameters<typeof SessionLedger.open>[0]> = {}) =>
    SessionLedger.open({
      stateDir,
      agentId: 'main',
      repoPath: '/repo',
      sessionId: ID,
      action: 'resume',
      label: undefined,
      task: 'go on',
      maxBudgetUsd: undefined,
      env,
      warn: (message) => warnings.push(message),
      ...own,
    });
  return {
    stateDir,
    env,
    warnings,
    open,
    save: (...lines: string[]) => writeFileSync(join(folder, `${ID}.jsonl`), lines.join('\n')),
    register: ({ sessionId = ID, agentId = 'main', ...own }: Partial<RegisteredSession>) =>
      updateRegistry(
        stateDir,
        agentId,
        (map) => void map.set(sessionId, registered({ sessionId, agentId, repoPath: '/repo', ...own })),
      ),
    read: (sessionId = ID) => readRegistry(stateDir, 'main').get(sessionId),
  };
}

test('the git folder, which outlives a worktree, is recorded; outside git none is', async () => {
  const { open, read, warnings } = makeLedgerRoom();
  const [repo, tree, plain] = [makeTempFolder(), join(makeTempFolder(), 'tree'), makeTempFolder()];
  makeRepo(repo);
  git(repo, 'worktree', 'add', '--quiet', '-b', 'side', tree);
  await (await open({ repoPath: tree })).begin('model');
  expect(read()).toMatchObject({ repoPath: tree, repoKey: join(repo, '.git') });
  await (await open({ repoPath: plain })).begin('model');
  expect(read()).toMatchObject({ repoPath: plain });
  expect(read()).not.toHaveProperty('repoKey');
  expect(warnings).toEqual([]);
});

const costState = (usd: number) => JSON.stringify({ type: 'cost-state', totalCostUSD: usd, sessionId: ID });

test('Claude Code counts on from what it saved, which is not counted twice', async () => {
  const { open, save, register } = makeLedgerRoom();
  save(costState(1), costState(2), JSON.stringify({ type: 'tag' }), '');
  await register({ totalCostUsd: 2, turns: 4 });
  const ledger = await open();
  expect(ledger.spentBeforeUsd).toBe(2);
  expect(await ledger.addCost(2.5)).toEqual({ costUsd: 0.5, totalCostUsd: 2.5 });
  expect(await ledger.addCost(3.5)).toEqual({ costUsd: 1, totalCostUsd: 3.5 });
  expect(ledger.costUsd).toBe(1.5);
});

test('what a crash kept from being saved is counted by the registry', async () => {
  const { open, save, register } = makeLedgerRoom();
  save(costState(2), `{"type":"cost-state","totalCost`);
  await register({ totalCostUsd: 3 });
  const ledger = await open();
  expect(await ledger.addCost(2.5)).toEqual({ costUsd: 0.5, totalCostUsd: 3.5 });
});

test('a session that only Claude Code knows has cost what it saved; one that saved nothing, nothing', async () => {
  const { open, save } = makeLedgerRoom();
  expect((await open()).spentBeforeUsd).toBe(0);
  save(costState(2), JSON.stringify({ type: 'user', message: { content: costState(9) } }));
  expect((await open({ maxBudgetUsd: 2.5 })).spentBeforeUsd).toBe(2);
  await expect(open({ maxBudgetUsd: 2 })).rejects.toMatchObject({
    code: 'BUDGET_SPENT',
    message: expect.stringContaining('$2.00 of $2.00'),
  });
});

test('what one crash kept from being saved is not forgotten by the next one', async () => {
  const { open, save, register, read } = makeLedgerRoom();
  save(costState(3));
  await register({ totalCostUsd: 5 });
  await (await open()).begin('m');
  expect(read()).toMatchObject({ totalCostUsd: 5, unsavedUsd: 2 });
  // It ended in the middle of a turn, and Claude Code wrote down the part of it.
  save(costState(3), costState(4.5));
  expect((await open()).spentBeforeUsd).toBe(6.5);
});

test('a session that another agent ran has cost what that one paid, and keeps its budget', async () => {
  const { open, register, read } = makeLedgerRoom();
  await register({ agentId: 'other', totalCostUsd: 3, maxBudgetUsd: 4 });
  await register({ agentId: 'third', totalCostUsd: 1, maxBudgetUsd: 9 });
  const ledger = await open();
  expect([ledger.spentBeforeUsd, ledger.maxBudgetUsd]).toEqual([3, 4]);
  await ledger.begin('m');
  expect(read()).toMatchObject({ agentId: 'main', turns: 0, totalCostUsd: 3, maxBudgetUsd: 4 });
  await expect(open({ maxBudgetUsd: 3 })).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
  expect((await open({ maxBudgetUsd: 5 })).budgetLeftUsd).toBe(2);
});

test('a damaged registry of another agent is skipped', async () => {
  const { open, stateDir, register } = makeLedgerRoom();
  await register({ totalCostUsd: 1 });
  mkdirSync(resolveRegistryPath(stateDir, 'other'), { recursive: true });
  expect((await open()).spentBeforeUsd).toBe(1);
});

test('a session that takes the place of another gets what is left of its budget', async () => {
  const { open, read, register } = makeLedgerRoom();
  await register({ sessionId: OTHER, totalCostUsd: 3, maxBudgetUsd: 4 });
  const fresh = { action: 'fresh', replaces: OTHER } as const;
  const ledger = await open(fresh);
  expect([ledger.spentBeforeUsd, ledger.maxBudgetUsd, ledger.budgetLeftUsd]).toEqual([0, 1, 1]);
  expect((await open({ ...fresh, maxBudgetUsd: 7 })).maxBudgetUsd).toBe(7);
  expect((await open({ action: 'fresh' })).maxBudgetUsd).toBeUndefined();
  // It is given away once.
  await ledger.begin('m');
  expect(read(OTHER)).toMatchObject({ maxBudgetUsd: 3, totalCostUsd: 3 });
  await expect(open(fresh)).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
  await register({ sessionId: OTHER, totalCostUsd: 4.5, maxBudgetUsd: 4 });
  await expect(open(fresh)).rejects.toMatchObject({
    code: 'BUDGET_SPENT',
    message: expect.stringContaining(OTHER),
  });
});

test('a label names one session of a repository, and what it named before is said', async () => {
  const { open, register, read, warnings } = makeLedgerRoom();
  await register({ label: 'old' });
  // Its worktree is gone; that it was one of the same repository was written down.
  await register({ sessionId: OTHER, label: 'web', repoPath: '/removed', repoKey: '/repo' });
  await register({ sessionId: ELSEWHERE, label: 'web', repoPath: '/elsewhere' });
  await (await open({ label: 'web' })).begin('m');
  expect([read()?.label, read(OTHER)?.label, read(ELSEWHERE)?.label]).toEqual(['web', undefined, 'web']);
  expect(warnings).toEqual([
    `Session ${ID} was labelled "old" and is now labelled "web"`,
    `The label "web" named session ${OTHER} and now names this one`,
  ]);

  await register({ sessionId: OTHER, label: 'web' });
  warnings.length = 0;
  await (await open({ action: 'fresh', label: 'web', replaces: OTHER })).begin('m');
  expect([read(OTHER)?.label, warnings]).toEqual([undefined, []]);
});

test('a turn that failed before it reported its cost does not lower the total', async () => {
  const { open, register } = makeLedgerRoom();
  await register({ totalCostUsd: 3 });
  expect(await (await open()).addCost(0)).toEqual({ costUsd: 0, totalCostUsd: 3 });
});

test('a run is written down at its beginning, after each turn, and at its end', async () => {
  const { open, register, read } = makeLedgerRoom();
  const before = { endedAt: '2026-11-16T02:00:00.000Z', result: 'error' as const, label: 'web' };
  await register({ ...before, tasks: ['begin'], turns: 2, totalCostUsd: 1, maxBudgetUsd: 5 });
  const ledger = await open();
  expect(ledger.budgetLeftUsd).toBe(4);
  await ledger.begin('a-model');
  const running = read()!;
  expect(running).toMatchObject({ tasks: ['begin', 'go on'], label: 'web', model: 'a-model' });
  expect(running.runner).toEqual(ownIdentity());
  expect(running).not.toHaveProperty('endedAt');
  expect(running).not.toHaveProperty('result');
  await ledger.addCost(0.5);
  expect(read()).toMatchObject({ turns: 3, totalCostUsd: 1.5, maxBudgetUsd: 5 });
  await ledger.finish('budget');
  const over = read()!;
  expect(over).toMatchObject({ turns: 3, result: 'budget', endedAt: expect.any(String) });
  expect(over).not.toHaveProperty('runner');
  expect(over.tasks).toEqual(['begin', 'go on']);
});

test('what could not be written down at the beginning is made up for', async () => {
  const { open, stateDir, read } = makeLedgerRoom();
  const path = resolveRegistryPath(stateDir, 'main');
  mkdirSync(path, { recursive: true });
  const ledger = await open({ action: 'fresh', label: 'web', maxBudgetUsd: 2 });
  await ledger.begin('m');
  rmSync(path, { recursive: true });
  await ledger.addCost(0.5);
  expect(read()).toMatchObject({ label: 'web', maxBudgetUsd: 2, totalCostUsd: 0.5, tasks: ['go on'] });
  // What somebody else changed since is not taken back.
  await updateRegistry(stateDir, 'main', (map) => {
    const { label: _, ...rest } = map.get(ID)!;
    map.set(ID, rest);
  });
  await ledger.finish('success');
  expect(read()).toMatchObject({ result: 'success', tasks: ['go on'], turns: 1 });
  expect(read()).not.toHaveProperty('label');
});

test('a run whose end could not be written down is not running any more', async () => {
  const { open, stateDir, read } = makeLedgerRoom();
  const path = resolveRegistryPath(stateDir, 'main');
  const ledger = await open({ action: 'fresh' });
  await ledger.begin('m');
  const entry = read()!;
  expect(isRunning(entry)).toBe(true);
  rmSync(path);
  mkdirSync(path);
  await ledger.finish('success');
  expect(isRunning(entry)).toBe(false);
});

test('the beginning of a long task is kept', async () => {
  const { open, read } = makeLedgerRoom();
  await (await open({ action: 'fresh', task: 'x'.repeat(300_000) })).begin('m');
  expect(read()!.tasks).toEqual([`${'x'.repeat(1999)}…`]);
});

test('an unreadable registry stops a resume; for an unwritable one the run warns and continues', async () => {
  const { open, stateDir, warnings } = makeLedgerRoom();
  const fresh = await open({ action: 'fresh', maxBudgetUsd: 1 });
  mkdirSync(resolveRegistryPath(stateDir, 'main'), { recursive: true });
  await fresh.begin('m');
  expect(await fresh.addCost(0.25)).toEqual({ costUsd: 0.25, totalCostUsd: 0.25 });
  expect(fresh.budgetLeftUsd).toBe(0.75);
  expect(warnings).toHaveLength(2);
  await expect(open()).rejects.toMatchObject({ code: 'REGISTRY_UNREADABLE' });
});

test('the end of a crashed run is recorded by the next run, with what it cost until then', async () => {
  const { stateDir, env, save, register, read } = makeLedgerRoom();
  save(costState(4));
  const crash = { runner: await endedProcess(), totalCostUsd: 3, unsavedUsd: 0.5 };
  await register(crash);
  await register({ sessionId: OTHER, runner: ownIdentity() });
  const elsewhere = { ...crash.runner, host: 'another-host' };
  await register({ sessionId: ELSEWHERE, runner: elsewhere });
  const sessions = [...readRegistry(stateDir, 'main').values()];
  await closeCrashed(sessions, { stateDir, env });
  expect(read()).toMatchObject({ result: 'error', totalCostUsd: 4.5, endedAt: expect.any(String) });
  expect(read()).not.toHaveProperty('runner');
  expect(read(OTHER)).toMatchObject({ runner: ownIdentity() });
  expect(read(ELSEWHERE)).toMatchObject({ runner: elsewhere });

  // What somebody began in the meantime is not ended.
  await register({ ...crash, runner: ownIdentity() });
  await closeCrashed(sessions, { stateDir, env });
  expect(read()).toMatchObject({ runner: ownIdentity(), totalCostUsd: 3 });
});

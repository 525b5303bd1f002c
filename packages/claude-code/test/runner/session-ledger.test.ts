import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '@openbot/sessions';
import { expect, test } from 'vitest';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';
import { readRegistry, resolveRegistryPath, updateRegistry } from '../../src/registry/registry-file.ts';
import { SessionLedger } from '../../src/runner/session-ledger.ts';
import { registered } from '../registry/registered.ts';
import { makeTempFolder } from '../temp-folder.ts';

const ID = '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a01';

function makeLedgerRoom() {
  const root = makeTempFolder();
  const stateDir = join(root, 'state');
  const folder = join(root, 'claude', 'projects', '-repo');
  mkdirSync(folder, { recursive: true });
  const problems: string[] = [];
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
      env: { CLAUDE_CONFIG_DIR: join(root, 'claude') },
      onProblem: (message) => problems.push(message),
      ...own,
    });
  return {
    stateDir,
    problems,
    open,
    save: (...lines: string[]) => writeFileSync(join(folder, `${ID}.jsonl`), lines.join('\n')),
    register: (own: Partial<RegisteredSession>) =>
      updateRegistry(stateDir, 'main', (map) => void map.set(ID, registered({ sessionId: ID, ...own }))),
    read: () => readRegistry(stateDir, 'main').get(ID),
  };
}

const costState = (usd: number) => JSON.stringify({ type: 'cost-state', totalCostUSD: usd, sessionId: ID });

test('Claude Code counts on from what it saved, which is not counted twice', async () => {
  const { open, save, register } = makeLedgerRoom();
  save(costState(1), costState(2), JSON.stringify({ type: 'tag' }), '');
  await register({ totalCostUsd: 2, turns: 4 });
  const ledger = await open();
  expect(ledger.spentBeforeUsd).toBe(2);
  expect(await ledger.addTurn(2.5)).toEqual({ costUsd: 0.5, totalCostUsd: 2.5 });
  expect(await ledger.addTurn(3.5)).toEqual({ costUsd: 1, totalCostUsd: 3.5 });
  expect(ledger.costUsd).toBe(1.5);
});

test('what a crash kept from being saved is counted by the registry', async () => {
  const { open, save, register } = makeLedgerRoom();
  save(costState(2), `{"type":"cost-state","totalCost`);
  await register({ totalCostUsd: 3 });
  const ledger = await open();
  expect(await ledger.addTurn(2.5)).toEqual({ costUsd: 0.5, totalCostUsd: 3.5 });
});

test('a session that only Claude Code knows has cost what it saved; one that saved nothing, nothing', async () => {
  const { open, save } = makeLedgerRoom();
  expect((await open()).spentBeforeUsd).toBe(0);
  save(costState(2), JSON.stringify({ type: 'user', message: { content: costState(9) } }));
  const ledger = await open({ maxBudgetUsd: 2 });
  expect(ledger.spentBeforeUsd).toBe(2);
  expect(ledger.isSpent).toBe(true);
});

test('a turn that failed before it could tell its cost takes nothing away', async () => {
  const { open, register } = makeLedgerRoom();
  await register({ totalCostUsd: 3 });
  expect(await (await open()).addTurn(0)).toEqual({ costUsd: 0, totalCostUsd: 3 });
});

test('a run is written down at its beginning, after each turn, and at its end', async () => {
  const { open, register, read } = makeLedgerRoom();
  const before = { endedAt: '2026-11-16T02:00:00.000Z', result: 'error' as const, label: 'web' };
  await register({ ...before, tasks: ['begin'], turns: 2, totalCostUsd: 1, maxBudgetUsd: 5 });
  const ledger = await open();
  expect(ledger.budgetLeftUsd).toBe(4);
  const child = { ...ownIdentity(), pid: 4711 };
  await ledger.begin('a-model', child);
  const running = read()!;
  expect(running).toMatchObject({ tasks: ['begin', 'go on'], label: 'web', model: 'a-model', child });
  expect(running.runner).toEqual(ownIdentity());
  expect(running).not.toHaveProperty('endedAt');
  expect(running).not.toHaveProperty('result');
  await ledger.addTurn(0.5);
  expect(read()).toMatchObject({ turns: 3, totalCostUsd: 1.5, maxBudgetUsd: 5 });
  await ledger.finish('budget');
  const over = read()!;
  expect(over).toMatchObject({ turns: 3, result: 'budget', endedAt: expect.any(String) });
  expect(over).not.toHaveProperty('runner');
  expect(over).not.toHaveProperty('child');
});

test('a registry that cannot be read stops a resume; one that cannot be written is told, and the run goes on', async () => {
  const { open, stateDir, problems } = makeLedgerRoom();
  const fresh = await open({ action: 'fresh', maxBudgetUsd: 1 });
  mkdirSync(resolveRegistryPath(stateDir, 'main'), { recursive: true });
  await fresh.begin('m', undefined);
  expect(await fresh.addTurn(0.25)).toEqual({ costUsd: 0.25, totalCostUsd: 0.25 });
  expect(fresh.budgetLeftUsd).toBe(0.75);
  expect(problems).toHaveLength(2);
  await expect(open()).rejects.toMatchObject({ code: 'REGISTRY_UNREADABLE' });
});

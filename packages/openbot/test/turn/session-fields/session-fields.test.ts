import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelChoice } from '../../../src/runners/contract.ts';
import { chooseModel } from '../../../src/turn/session-fields/choose-model.ts';
import { chooseThinkingLevel, linesForChanges } from '../../../src/turn/session-fields/lines-for-changes.ts';
import { describePreviousRun } from '../../../src/turn/session-fields/previous-run.ts';
import { isReadOnlySession } from '../../../src/turn/session-fields/read-only.ts';
import { makeTempFolder } from '../../setup/temp-folder.ts';

describe('chooseModel', () => {
  const models: ModelChoice[] = [
    { provider: 'script', model: 'demo', contextWindow: 200_000 },
    { provider: 'p', model: 'big', contextWindow: 1_000_000 },
    { provider: 'p', model: 'demo' },
    { provider: 'p', model: 'org/model' },
  ];
  const choose = (entry: object, more: Partial<Parameters<typeof chooseModel>[0]> = {}) =>
    chooseModel({
      entry,
      standard: { provider: 'script', model: 'demo' },
      describe: (provider, model) => models.find((one) => one.provider === provider && one.model === model),
      ...more,
    });

  test('this run, then the session, then the agent', () => {
    expect(choose({}).model).toEqual(models[0]);
    const own = { providerOverride: 'p', modelOverride: 'big' };
    expect(choose(own)).toEqual({ model: models[1] });
    expect(choose(own, { asked: { provider: 'p', model: 'demo' } })).toEqual({ model: models[2] });
  });

  test('a part that the session does not name is the agent’s, and a model may name its provider', () => {
    expect(choose({ providerOverride: 'p' }).model).toEqual(models[2]);
    expect(choose({ modelOverride: ' demo ' }).model).toEqual(models[0]);
    expect(choose({ modelOverride: 'p/big' }).model).toEqual(models[1]);
    expect(choose({ providerOverride: 'p', modelOverride: 'org/model' }).model).toEqual(models[3]);
    expect(choose({ providerOverride: ' ', modelOverride: '' }).model).toEqual(models[0]);
  });

  test('an unknown one falls back, and the session hears of it once', () => {
    const entry = { providerOverride: 'gone', modelOverride: 'm' };
    const { model, notice } = choose(entry);
    expect(model).toEqual(models[0]);
    expect(notice).toBe(
      'The model gone/m that was set for this session is not available. script/demo answers instead.',
    );
    const after = { ...entry, systemSent: true, modelProvider: 'script', model: 'demo' };
    expect(choose(after)).toEqual({ model: models[0] });
    expect(choose({ ...after, systemSent: false }).notice).toBe(notice);
  });

  test('an unknown model of the agent is left to its runner to explain', () => {
    const standard = { provider: 'none', model: 'x' };
    expect(choose({}, { standard })).toEqual({ model: standard });
  });

  test('the configured window counts where it is smaller or the only one', () => {
    const contextWindowOf = () => 100_000;
    expect(choose({}, { contextWindowOf }).model.contextWindow).toBe(100_000);
    expect(choose({ providerOverride: 'p' }, { contextWindowOf }).model.contextWindow).toBe(100_000);
    expect(choose({}, { contextWindowOf: () => 900_000 }).model.contextWindow).toBe(200_000);
  });
});

describe('linesForChanges', () => {
  const model = { provider: 'p', model: 'm' };
  const before = { systemSent: true, modelProvider: 'p', model: 'm', lastThinkingLevel: 'low' };

  test('the first run of a session notes both, whatever the session before left', () => {
    expect(linesForChanges({ modelProvider: 'p', model: 'm' }, { model, thinkingLevel: 'low' })).toEqual([
      { type: 'model_change', provider: 'p', modelId: 'm' },
      { type: 'thinking_level_change', thinkingLevel: 'low' },
    ]);
    expect(linesForChanges({ systemSent: false }, { model })).toHaveLength(1);
  });

  test('later ones note what changed', () => {
    expect(linesForChanges(before, { model, thinkingLevel: 'low' })).toEqual([]);
    expect(linesForChanges(before, { model, thinkingLevel: 'high' })).toEqual([
      { type: 'thinking_level_change', thinkingLevel: 'high' },
    ]);
    expect(linesForChanges(before, { model: { provider: 'q', model: 'm' }, thinkingLevel: 'low' })).toEqual([
      { type: 'model_change', provider: 'q', modelId: 'm' },
    ]);
  });

  test('a level that is no longer set is off, once', () => {
    const thinkingLevel = chooseThinkingLevel({ entry: before });
    expect(linesForChanges(before, { model, thinkingLevel })).toEqual([
      { type: 'thinking_level_change', thinkingLevel: 'off' },
    ]);
    const after = { ...before, lastThinkingLevel: thinkingLevel };
    const again = chooseThinkingLevel({ entry: after });
    expect(again).toBeUndefined();
    expect(linesForChanges(after, { model, thinkingLevel: again })).toEqual([]);
  });

  test('the level is this run’s, the session’s or the agent’s', () => {
    const entry = { thinkingLevel: 'Medium' };
    expect(chooseThinkingLevel({ asked: 'high', entry, thinkingDefault: 'low' })).toBe('high');
    expect(chooseThinkingLevel({ entry, thinkingDefault: 'low' })).toBe('medium');
    expect(chooseThinkingLevel({ entry: { thinkingLevel: ' ' }, thinkingDefault: 'low' })).toBe('low');
    expect(chooseThinkingLevel({ entry: {} })).toBeUndefined();
  });
});

test.each([
  ['person', 'by a person'],
  ['interrupt', 'by a newer message'],
  ['timeout', 'because it took too long'],
  ['shutdown', 'because OpenBot was stopped'],
  ['crash', 'because its process died'],
] as const)('the next run hears that the one before was ended early (%s)', (abortedBy, cause) => {
  expect(describePreviousRun({ abortedLastRun: true, abortedBy })).toBe(
    `The previous run was ended early ${cause}. What it was doing may be unfinished.`,
  );
});

test('a run that another program ended is told without a cause, one that came to its end not at all', () => {
  expect(describePreviousRun({ abortedLastRun: true })).toMatch(/^The previous run was ended early\. /);
  expect(describePreviousRun({ abortedLastRun: true, abortedBy: 'toString' as never })).toMatch(/early\. /);
  expect(describePreviousRun({ abortedLastRun: false, abortedBy: 'timeout' })).toBeUndefined();
  expect(describePreviousRun({})).toBeUndefined();
});

test('a session may only read when it is set so or its workspace is no folder to write to', () => {
  const folder = makeTempFolder();
  mkdirSync(join(folder, 'workspace'));
  writeFileSync(join(folder, 'file'), '');
  const reading = { changes: false };
  const writing = { changes: true };
  expect(isReadOnlySession([reading, writing], join(folder, 'workspace'))).toBe(false);
  expect(isReadOnlySession([reading], join(folder, 'workspace'))).toBe(true);
  expect(isReadOnlySession([], join(folder, 'workspace'))).toBe(true);
  expect(isReadOnlySession([writing], join(folder, 'missing'))).toBe(false);
  expect(isReadOnlySession([writing], join(folder, 'file', 'below'))).toBe(true);
});

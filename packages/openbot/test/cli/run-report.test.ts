import type { PermissionSettlement, RunEvent } from '@openbot/claude-code';
import { openTerminal } from '@openbot/sessions/command-line';
import { beforeEach, expect, test } from 'vitest';
import { formatOutcome, RunReport } from '../../src/commands/cc/run-report.ts';

const terminal = openTerminal({ write: () => {} }, { write: () => {} }, {});
let report: RunReport;
beforeEach(() => {
  report = new RunReport(terminal, { repoPath: import.meta.dirname });
});

const tool = (name: string, input: unknown): RunEvent => ({
  type: 'tool',
  toolUseId: 't',
  name,
  input,
  inSubagent: false,
});

test.each([
  ['Bash', { command: 'git\n  status', description: 'looks' }, '> Bash git status\n'],
  ['Write', { file_path: '/a', content: 'long' }, '> Write /a\n'],
  ['Task', { description: 'searches', prompt: 'long' }, '> Task searches\n'],
  ['mcp__some__look_up', { id: 7 }, '> look_up {"id":7}\n'],
  ['mcp__openbot__openclaw_project_status', {}, '> openclaw_project_status\n'],
  ['Odd', undefined, '> Odd\n'],
  ['Odd', null, '> Odd null\n'],
])('the call %s %j', (name, input, line) => {
  expect(report.format(tool(name, input))).toBe(line);
});

test('a call is shown on one line of bounded length', () => {
  const line = report.format(tool('Bash', { command: `${'x'.repeat(300)}\u001b[31m` }))!;
  expect(line.length).toBeLessThan(130);
});

test('text keeps its lines, and loses what would act on the terminal', () => {
  const text = 'one\r\n\ttwo\u001b[2J\u0007';
  expect(report.format({ type: 'text', text, inSubagent: false })).toBe('one\n    two\ufffd[2J\ufffd\n');
  expect(report.format({ type: 'text', text: 'a\nb', inSubagent: true })).toBe('  a\n  b\n');
});

const failed = (toolUseId: string): RunEvent => ({
  type: 'tool-result',
  toolUseId,
  isError: true,
  output: 'no\nway',
});
const request = {
  requestId: 'r',
  toolUseId: 't',
  toolName: 'Write',
  input: { file_path: '/a' },
  isRisky: false,
};
const settled = (settlement: PermissionSettlement): RunEvent => ({
  type: 'permission-settled',
  requestId: 'r',
  settlement,
});

test('a failure is reported once: not again if a permission was denied', () => {
  expect(report.format(failed('x'))).toBe('  failed: no way\n');
  report.format(tool('Write', {}));
  expect(report.format({ type: 'permission', request })).toBeUndefined();
  expect(report.format(settled('timed-out'))).toBe('  not allowed: no answer in time\n');
  expect(report.format(failed('t'))).toBeUndefined();
});

test('a call that fails because the run is ended at its question has not failed', () => {
  report.format(tool('Write', {}));
  report.format({ type: 'permission', request });
  expect(report.format(failed('t'))).toBeUndefined();
  expect(report.format(settled('withdrawn'))).toBe('  question withdrawn\n');
});

test('one that was allowed and fails is reported', () => {
  report.format(tool('Write', {}));
  report.format({ type: 'permission', request });
  expect(report.format(settled('allowed'))).toBeUndefined();
  expect(report.format(failed('t'))).toBe('  failed: no way\n');
});

test.each([
  [
    'process 23495 (node) on vm, since 2001-01-01T05:19:10.579Z',
    /^… waiting for process 23495 on vm, which began \d+ years ago\n$/,
  ],
  ['process 7 (claude), since then', /^… waiting for process 7 \(claude\), since then\n$/],
  ['a run that just ended', /^… waiting for a run that just ended\n$/],
])('waiting for %s', (behind, line) => {
  expect(report.format({ type: 'queued', behind })).toMatch(line);
});

test('which session was chosen, and why words were compared where a model was to be asked', () => {
  const selection = { action: 'fresh', reason: 'none fits' } as const;
  expect(report.format({ type: 'selected', selection })).toBe('fresh: none fits\n');
  const relevanceFallback = 'it said\u001b[2J nothing';
  expect(report.format({ type: 'selected', selection: { ...selection, relevanceFallback } })).toBe(
    'fresh: none fits\nwords were compared: it said\ufffd[2J nothing\n',
  );
});

test('an API that does not answer is reported', () => {
  const retrying = { type: 'retrying', attempt: 3, maxRetries: 10, reason: 'overloaded' } as const;
  expect(report.format(retrying)).toBe('… the API does not answer, trying again: 3 of 10\n');
  expect(report.format({ ...retrying, status: 529 })).toBe(
    '… the API answers with 529, trying again: 3 of 10\n',
  );
});

test('the last line names the session and the cost', () => {
  const outcome = {
    sessionId: 'id',
    result: 'success',
    text: '',
    turns: 2,
    costUsd: 0.1234,
    totalCostUsd: 1,
    maxBudgetUsd: 2.5,
    unsent: [],
  } as const;
  expect(formatOutcome(outcome, terminal)).toBe('✓ success  id  2 turns, $0.1234, $1.0000 in all of $2.50\n');
  const { sessionId: _, ...none } = outcome;
  expect(formatOutcome({ ...none, result: 'aborted' }, terminal)).toBe('✗ aborted  nothing was started\n');
});

test('an answer that overtook its call is printed after it', () => {
  report.format({ type: 'permission', request });
  expect(report.format(settled('nobody-listens'))).toBeUndefined();
  expect(report.format(tool('Write', { file_path: '/a' }))).toBe(
    "> Write /a\n  not allowed: no rule allows it, and there is no terminal to ask at; --allow 'Edit(//a)' would\n",
  );
});

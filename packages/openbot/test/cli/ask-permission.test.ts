import { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { PermissionAnswer, PermissionRequest, RunEvent } from '@openbot/claude-code';
import { beforeEach, expect, test } from 'vitest';
import { askForPermissions } from '../../src/commands/ask-permission.ts';
import { readRules } from '../../src/commands/cc-run.ts';

let input: PassThrough;
let shown: string;
let answers: [string, PermissionAnswer['behavior']][];
let ask: (request: Partial<PermissionRequest> & { requestId: string }) => void;
let tell: (event: RunEvent) => void;
let end: () => void;

beforeEach(() => {
  input = new PassThrough();
  const output = new PassThrough();
  shown = '';
  output.on('data', (chunk) => {
    shown += chunk;
  });
  answers = [];
  const run = {
    onPermissionRequest: (listener: (request: PermissionRequest) => void) => {
      ask = (request) =>
        listener({ toolUseId: 'x', toolName: 'Bash', input: { command: 'ls' }, isRisky: false, ...request });
      return () => {};
    },
    onEvent: (listener: (event: RunEvent) => void) => {
      tell = listener;
      return () => {};
    },
    respondToPermission: (requestId: string, { behavior }: PermissionAnswer) => {
      answers.push([requestId, behavior]);
      return true;
    },
    abort: () => {},
  };
  end = askForPermissions(run, { input, output });
});

async function type(text: string): Promise<void> {
  input.write(text);
  for (let round = 0; round < 5; round++) await nextRound();
}

test('y and yes allow, everything else denies', async () => {
  for (const [id, typed] of [
    ['a', 'y'],
    ['b', 'YES'],
    ['c', ''],
    ['d', 'yeah'],
  ] as const) {
    ask({ requestId: id });
    await type(`${typed}\n`);
  }
  expect(answers).toEqual([
    ['a', 'allow'],
    ['b', 'allow'],
    ['c', 'deny'],
    ['d', 'deny'],
  ]);
  expect(shown).toContain('Allow Bash {"command":"ls"}? [y/N]');
});

test('what was typed before the question answers nothing', async () => {
  await type('y\n');
  ask({ requestId: 'a' });
  for (let round = 0; round < 5; round++) await nextRound();
  expect(answers).toEqual([]);
});

test('a risky one wants the whole word', async () => {
  ask({ requestId: 'a', isRisky: true, reason: 'it is outside' });
  expect(shown).toMatch(/it is outside\nAllow .*\[yes\/N\]/);
  await type('y\n');
  ask({ requestId: 'b', isRisky: true });
  await type('yes\n');
  expect(answers).toEqual([
    ['a', 'deny'],
    ['b', 'allow'],
  ]);
});

test('one that was settled otherwise makes room for the next', async () => {
  ask({ requestId: 'a' });
  ask({ requestId: 'b', toolName: 'Write' });
  expect(shown).not.toContain('Write');
  tell({ type: 'permission-settled', requestId: 'a', settlement: 'timed-out' });
  expect(shown).toContain('Allow Write');
  await type('y\n');
  expect(answers).toEqual([['b', 'allow']]);
});

test('the end of the input, and of the run, mean no', async () => {
  ask({ requestId: 'a' });
  end();
  expect(answers).toEqual([['a', 'deny']]);
});

test.each([
  [undefined, []],
  ['Read', ['Read']],
  ['Read, Bash(touch a,b),Write', ['Read', 'Bash(touch a,b)', 'Write']],
  [' , ', []],
])('--allow %j', (allow, rules) => {
  expect(readRules({ flags: { allow } })).toEqual(rules);
});

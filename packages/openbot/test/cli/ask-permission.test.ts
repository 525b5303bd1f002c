import { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { PermissionAnswer, PermissionRequest, RunEvent } from '@openbot/claude-code';
import { beforeEach, expect, test } from 'vitest';
import { askForPermissions } from '../../src/commands/ask-permission.ts';

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
  };
  end = askForPermissions(run, { input, output, onInterrupt: () => {} });
});

/** Types when as many questions were shown. */
async function typeAfter(questions: number, text: string): Promise<void> {
  await expect.poll(() => shown.match(/\/N\] /g)?.length ?? 0, { timeout: 20_000 }).toBe(questions);
  input.write(text);
  await settle();
}

async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await nextRound();
}

test('y and yes allow, everything else denies', async () => {
  for (const [index, typed] of ['y', 'YES', '', 'yeah'].entries()) {
    ask({ requestId: String(index) });
    await typeAfter(index + 1, `${typed}\n`);
  }
  expect(answers).toEqual([
    ['0', 'allow'],
    ['1', 'allow'],
    ['2', 'deny'],
    ['3', 'deny'],
  ]);
  expect(shown).toContain('  │ command: ls\nAllow Bash? [y/N] ');
});

test('what was typed before the question answers nothing', async () => {
  input.write('y\n');
  await settle();
  ask({ requestId: 'a' });
  await typeAfter(1, '');
  expect(answers).toEqual([]);
  await typeAfter(1, 'y\n');
  await typeAfter(1, 'y\n');
  ask({ requestId: 'b' });
  await typeAfter(2, '');
  expect(answers).toEqual([['a', 'allow']]);
});

test('a risky one wants the whole word', async () => {
  ask({ requestId: 'a', isRisky: true, reason: 'it is outside', blockedPath: '/etc' });
  await typeAfter(1, 'y\n');
  expect(shown).toMatch(/ {2}│ why: it is outside\n {2}│ path: \/etc\n.*\nAllow Bash\? \[yes\/N\] $/);
  ask({ requestId: 'b', isRisky: true });
  await typeAfter(2, 'yes\n');
  expect(answers).toEqual([
    ['a', 'deny'],
    ['b', 'allow'],
  ]);
});

test('everything that is to be allowed is shown, and cannot pose as a question', async () => {
  const content = `one\n\ttwo\u001b[2J\nAllow Read? [y/N] ${'x'.repeat(5000)}`;
  ask({ requestId: 'a', toolName: 'Write', input: { file_path: '/a', content, lines: 3 } });
  await expect.poll(() => shown, { timeout: 20_000 }).toContain('Allow Write? [y/N] ');
  const lines = shown.split('\n');
  expect(lines.slice(0, 3)).toEqual(['  │ file_path: /a', '  │ content: one', '  │       two\ufffd[2J']);
  expect(lines[3]).toMatch(/^ {2}│ {3}Allow Read\? \[y\/N\] x{50}/);
  expect(lines[4]).toMatch(/^ {2}│ {3}… and 10\d\d more characters, not shown$/);
  expect(lines.slice(5)).toEqual(['  │ lines: 3', 'Allow Write? [y/N] ']);
});

test('one that was settled otherwise makes room for the next', async () => {
  ask({ requestId: 'a' });
  ask({ requestId: 'b', toolName: 'Write' });
  await typeAfter(1, '');
  expect(shown).not.toContain('Write');
  tell({ type: 'permission-settled', requestId: 'a', settlement: 'timed-out' });
  expect(shown).toMatch(/\[y\/N\] \n {2}│ command: ls\nAllow Write\?/);
  await typeAfter(2, 'y\n');
  expect(answers).toEqual([['b', 'allow']]);
});

test('the end of the input means no, also to what waits and to what is asked later', async () => {
  ask({ requestId: 'a' });
  ask({ requestId: 'b' });
  await typeAfter(1, '');
  input.end();
  await settle();
  ask({ requestId: 'c' });
  expect(answers).toEqual([
    ['a', 'deny'],
    ['b', 'deny'],
    ['c', 'deny'],
  ]);
  expect(shown.match(/Allow/g)).toHaveLength(1);
});

test('the end of the run means no', () => {
  ask({ requestId: 'a' });
  end();
  expect(answers).toEqual([['a', 'deny']]);
});

import { PassThrough } from 'node:stream';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { PermissionAnswer, PermissionRequest, RunEvent } from '@openbot/claude-code';
import { beforeEach, expect, test } from 'vitest';
import { PermissionDesk } from '../../src/permissions/permission-desk.ts';

let input: PassThrough;
let shown: string;
let answers: [string, PermissionAnswer['behavior']][];
let inputs: unknown[];
let ask: (request: Partial<PermissionRequest> & { requestId: string }) => void;
let tell: (event: RunEvent) => void;
let desk: PermissionDesk;
let rest: number;

beforeEach(() => {
  input = new PassThrough();
  const output = new PassThrough();
  shown = '';
  output.on('data', (chunk) => {
    shown += chunk;
  });
  answers = [];
  inputs = [];
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
    respondToPermission: (requestId: string, answer: PermissionAnswer) => {
      answers.push([requestId, answer.behavior]);
      inputs.push('updatedInput' in answer ? answer.updatedInput : undefined);
      return true;
    },
  };
  rest = 100;
  desk = new PermissionDesk(run, {
    openInput: () => input,
    output,
    onInterrupt: () => {},
    get restMs() {
      return rest;
    },
  });
});

/** Types when as many questions were shown. */
async function typeAfter(questions: number, text: string): Promise<void> {
  const count = () => shown.match(/\/N\] |skips it\]: /g)?.length ?? 0;
  await expect.poll(count, { timeout: 100_000 }).toBe(questions);
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

test('text typed for one question does not answer the next, which was not shown yet', async () => {
  ask({ requestId: 'a' });
  ask({ requestId: 'b', toolName: 'Write' });
  await typeAfter(1, 'y\ny\n');
  expect(shown).not.toContain('Write');
  await typeAfter(2, '');
  expect(answers).toEqual([['a', 'allow']]);
  await typeAfter(2, 'y\n');
  expect(answers).toEqual([
    ['a', 'allow'],
    ['b', 'allow'],
  ]);
});

test('nor does it answer one that comes right after it', async () => {
  ask({ requestId: 'a' });
  await typeAfter(1, 'y\n');
  ask({ requestId: 'b' });
  input.write('y\n');
  await typeAfter(2, '');
  expect(answers).toEqual([['a', 'allow']]);
});

test('after an answer the next question is not shown for a while', async () => {
  ask({ requestId: 'a' });
  ask({ requestId: 'b' });
  rest = 3_600_000;
  await typeAfter(1, 'n\n');
  ask({ requestId: 'c' });
  await sleep(300);
  await typeAfter(1, 'y\n');
  rest = 0;
  await typeAfter(1, 'y\n');
  await typeAfter(2, '');
  expect(answers).toEqual([['a', 'deny']]);
});

test('what is not shown to its end wants the whole word', async () => {
  const command = `echo ${'x'.repeat(50_000)}; touch unseen`;
  ask({ requestId: 'a', input: { command } });
  await typeAfter(1, 'y\n');
  expect(shown).toMatch(/│ command: echo x+\n[\s\S]* characters are not shown …\n[\s\S]*; touch unseen\n/);
  ask({ requestId: 'b', input: { command } });
  await typeAfter(2, 'yes\n');
  expect(answers).toEqual([
    ['a', 'deny'],
    ['b', 'allow'],
  ]);
});

test('what others write waits for the answer: after the question it could pose as another one', async () => {
  let isFree = false;
  const wait = async () => {
    isFree = false;
    await desk.whenFree();
    isFree = true;
  };
  await wait();
  expect(isFree).toBe(true);
  for (const [at, end] of [
    () => input.write('n\n'),
    () => tell({ type: 'permission-settled', requestId: '1', settlement: 'withdrawn' }),
    () => input.end(),
  ].entries()) {
    ask({ requestId: String(at) });
    await typeAfter(at + 1, '');
    const waited = wait();
    await settle();
    expect(isFree).toBe(false);
    end();
    await waited;
  }
});

const which = {
  question: 'Which one?',
  options: [{ label: 'Red', description: 'a colour' }, { label: 'Blue' }],
};
const more = {
  question: 'What more?',
  options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }],
  multiSelect: true,
};

test("Claude Code's own questions are answered by numbers, or in words", async () => {
  const questions = { questions: [which, more] };
  ask({ requestId: 'a', toolName: 'AskUserQuestion', input: questions });
  await typeAfter(1, '7\n');
  expect(shown).toContain(
    '  │ Which one?\n  │ 1. Red: a colour\n  │ 2. Blue\nYour answer [1-2, or words; none skips it]: ',
  );
  await typeAfter(2, '1, 2\n');
  await typeAfter(3, '2\n3\n');
  await typeAfter(4, '3, 1\n');
  ask({ requestId: 'b', toolName: 'AskUserQuestion', input: questions });
  await typeAfter(5, '\n');
  await typeAfter(6, ' 2 of them \n');
  ask({ requestId: 'c', toolName: 'AskUserQuestion', input: { questions: [which] } });
  await typeAfter(7, '\n');
  expect(answers).toEqual([
    ['a', 'allow'],
    ['b', 'allow'],
    ['c', 'deny'],
  ]);
  expect(inputs).toEqual([
    { ...questions, answers: { 'Which one?': 'Blue', 'What more?': 'C, A' } },
    { ...questions, answers: { 'What more?': '2 of them' } },
    undefined,
  ]);
});

test('a question of another form is shown as it is', async () => {
  ask({ requestId: 'a', toolName: 'AskUserQuestion', input: { questions: [{ question: 'Well?' }] } });
  await typeAfter(1, 'n\n');
  expect(shown).toContain('  │ questions: [{"question":"Well?"}]\nAllow AskUserQuestion? [y/N] ');
});

test('one that was settled otherwise makes room for the next', async () => {
  ask({ requestId: 'a' });
  ask({ requestId: 'b', toolName: 'Write' });
  await typeAfter(1, '');
  expect(shown).not.toContain('Write');
  tell({ type: 'permission-settled', requestId: 'a', settlement: 'timed-out' });
  expect(shown.endsWith('[y/N] \n')).toBe(true);
  input.write('y\n');
  await typeAfter(2, '');
  expect(shown).toMatch(/\[y\/N\] \n {2}│ command: ls\nAllow Write\?/);
  expect(answers).toEqual([]);
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
  desk.end();
  expect(answers).toEqual([['a', 'deny']]);
});

test('who leaves answers nothing, and the line of the question is ended', async () => {
  ask({ requestId: 'a' });
  await typeAfter(1, '');
  desk.leave();
  await desk.whenFree();
  expect(shown.endsWith('[y/N] \n')).toBe(true);
  tell({ type: 'permission-settled', requestId: 'a', settlement: 'withdrawn' });
  expect(answers).toEqual([]);
  ask({ requestId: 'b' });
  expect(answers).toEqual([['b', 'deny']]);
});

import { expect, test } from 'vitest';
import { openTerminal } from '../../src/cli/open-terminal.ts';
import { openProgress } from '../../src/commands/discover-with-progress.ts';

function open(env: Record<string, string> = {}, { isTTY = true, columns = 40 } = {}) {
  const written: [string, string][] = [];
  const stream = (name: string) => ({
    isTTY,
    columns,
    write: (text: string) => written.push([name, text]),
  });
  return { written, terminal: openTerminal(stream('out'), stream('err'), env) };
}

test('colour is for terminals that show it, unless NO_COLOR says no', () => {
  const red = (...args: Parameters<typeof open>) => open(...args).terminal.palette.red('x');
  expect(red()).toBe('\u001b[31mx\u001b[39m');
  expect(red({ NO_COLOR: '' })).toContain('\u001b');
  expect(red({ NO_COLOR: '1' })).toBe('x');
  expect(red({ TERM: 'dumb' })).toBe('x');
  expect(red({}, { isTTY: false })).toBe('x');
});

test('progress is told after a moment, not too often, and erased at its end', () => {
  const shown: (string | undefined)[] = [];
  let now = 0;
  const progress = openProgress({ showProgress: (text) => shown.push(text) }, () => now);
  const tellAt = (ms: number, done: number) => {
    now = ms;
    progress.report({ done, total: 9 });
  };
  tellAt(499, 1);
  expect(shown).toEqual([]);
  tellAt(500, 2);
  tellAt(599, 3);
  now = 600;
  progress.report({ done: 4, total: 9, partOfLarge: 0.427 });
  progress.end();
  expect(shown).toEqual([
    'Reading sessions: 2 of 9',
    'Reading sessions: 4 of 9, 42% of a large one',
    undefined,
  ]);
});

test('what was soon done needs no word, not even of its end', () => {
  const shown: (string | undefined)[] = [];
  const progress = openProgress({ showProgress: (text) => shown.push(text) }, () => 0);
  progress.report({ done: 1, total: 9 });
  progress.end();
  expect(shown).toEqual([]);
});

test('progress takes one line, and is gone before anything else is written', () => {
  const { written, terminal } = open({}, { columns: 20 });
  terminal.showProgress('Reading sessions: 12345 of 99999');
  terminal.writeError('Warning: x\n');
  terminal.write('1 session\n');
  expect(written).toEqual([
    ['err', '\r\u001b[KReading sessions: …'],
    ['err', '\r\u001b[K'],
    ['err', 'Warning: x\n'],
    ['out', '1 session\n'],
  ]);
});

test.each([
  [{ TERM: 'dumb' }, { isTTY: true }],
  [{}, { isTTY: false }],
])('nobody is shown progress with %j, %j', (env, options) => {
  const { written, terminal } = open(env, options);
  terminal.showProgress('Reading');
  terminal.showProgress(undefined);
  expect(written).toEqual([]);
});

import { expect, test } from 'vitest';
import { showBehindBar } from '../../src/permissions/question-rows.ts';

/** The rows as a terminal shows them, which folds whatever is too long. */
function rowsOf(text: string, columns: number): string[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'gsu')) ?? ['']);
}

test('lines keep their form, and what would act on the terminal is gone', () => {
  const content = 'one\n\ttwo\u001b[2J\n\n  three\r\nAllow Read? [y/N] ';
  const { text, isWhole } = showBehindBar(
    [
      ['', 'Claude wants to write'],
      ['content', content],
      ['lines', 3],
      ['more', { a: ['b'] }],
    ],
    80,
  );
  expect(isWhole).toBe(true);
  expect(rowsOf(text, 80)).toEqual([
    '  │ Claude wants to write',
    '  │ content: one',
    '  │       two\ufffd[2J',
    '  │   ',
    '  │     three',
    '  │   Allow Read? [y/N] ',
    '  │ lines: 3',
    '  │ more: {"a":["b"]}',
  ]);
});

test('a text that is laid out to fold into a question of its own does not', () => {
  const row = (text: string) => text.padEnd(80);
  const command =
    'rm -rf ~/x #'.padEnd(80 - '  │ command: '.length) +
    row('Allow Bash? [y/N] n') +
    row('  not allowed') +
    row('> Bash git status') +
    row('  │ command: git status');
  const { text, isWhole } = showBehindBar([['command', command]], 80);
  const rows = rowsOf(text, 80);
  expect(rows.filter((line) => !line.startsWith('  │ '))).toEqual([]);
  expect(rows[0]).toContain('rm -rf ~/x #[55 blanks]Allow Bash? [y/N] n[63 blanks]not allowed');
  expect(isWhole).toBe(true);
});

test.each([
  ['letters', 'x'],
  ['wide letters', '漢'],
  ['signs that some terminals draw wide', '❤️·'],
  ['letters of two units', '😀'],
])('no row of %s is wider than the terminal', (_, char) => {
  for (const columns of [7, 20, 80, 133]) {
    const { text } = showBehindBar([['command', `${char.repeat(400)} Allow Bash? [y/N]`]], columns);
    const rows = text.slice(0, -1).split('\n');
    expect(rows.length).toBeGreaterThan(2);
    for (const line of rows) {
      expect(line.startsWith('  │ ')).toBe(true);
      const cells = [...line].reduce((sum, each) => sum + (each <= '~' ? 1 : 2), 0);
      expect(cells).toBeLessThanOrEqual(columns);
    }
  }
});

test('many blanks are shown as their number', () => {
  const blanks = ' '.repeat(4200);
  const show = (text: string) => showBehindBar([['', text]], 80).text;
  expect(show(`echo start;${blanks}; touch unseen`)).toBe('  │ echo start;[4,200 blanks]; touch unseen\n');
  expect(show(`${blanks}late`)).toBe('  │ [4,200 blanks]late\n');
  expect(show(`a${'\u2800'.repeat(30)}b\u3000\u3000c`)).toBe('  │ a[30 blanks]b\u3000\u3000c\n');
  expect(show(`a${'\t'.repeat(30)}b`)).toBe('  │ a[120 blanks]b\n');
  expect(show(`a${'\n \n'.repeat(50)}b`)).toBe('  │ a\n  │   [99 empty lines]\n  │   b\n');
  expect(show('if\n            then    so')).toBe('  │ if\n  │               then    so\n');
});

test('of what is too long both ends are shown, and how much is missing', () => {
  const lines = Array.from({ length: 300 }, (_, at) => `line ${at}`);
  const { text, isWhole } = showBehindBar([['content', lines.join('\n')]], 80);
  expect(isWhole).toBe(false);
  const rows = rowsOf(text, 80);
  expect(rows.slice(38, 43)).toEqual([
    '  │   line 38',
    '  │   line 39',
    `  │ … ${(240 * 10 - 60).toLocaleString('en')} characters are not shown …`,
    '  │   line 280',
    '  │   line 281',
  ]);
  expect(rows.at(-1)).toBe('  │   line 299');
  expect(rows).toHaveLength(61);
});

test('of a text of megabytes as well', () => {
  const { text, isWhole } = showBehindBar([['command', `begin${'x'.repeat(5_000_000)}end`]], 80);
  expect(isWhole).toBe(false);
  expect(text).toMatch(/^ {2}│ command: beginx+\n/);
  expect(text).toMatch(/x+end\n$/);
  expect(text).toMatch(/ 4,995,\d{3} characters are not shown /);
});

test('and of a great many parts', () => {
  const parts = Array.from({ length: 1000 }, (_, at) => [`part${at}`, at] as const);
  const { text, isWhole } = showBehindBar(parts, 80);
  expect(isWhole).toBe(false);
  expect(rowsOf(text, 80)).toHaveLength(201);
  expect(text).toMatch(/^ {2}│ part0: 0\n[\s\S]* {2}│ part999: 999\n$/);
});

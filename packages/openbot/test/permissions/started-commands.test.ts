// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of shells is what is tested
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { findDenial } from '../../src/permissions/find-denial.ts';
import { STARTERS, TEXT_STARTERS } from '../../src/permissions/starters.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { HARMLESS, STARTING, STARTING_IN_SH } from './spellings.ts';

const RULE = 'Bash(rm:*)';
const denialOf = (command: string, toolName = 'Bash', rule = RULE) =>
  findDenial([rule], { toolName, arguments: { command } }, { workspaceDir: '/ws' });

test.each(STARTING)(`${RULE} denies %j`, async (spelling) => {
  const command = spelling.replaceAll('@/', '/bin/');
  expect(await denialOf(command)).toMatchObject({ rule: RULE });
  expect(await denialOf(command, 'exec')).toMatchObject({ rule: RULE });
});

test.each(STARTING_IN_SH)(`${RULE} denies %j to exec, whose shell is sh`, async (command) => {
  expect(await denialOf(command, 'exec')).toMatchObject({ rule: RULE });
});

test.each(HARMLESS)(`${RULE} does not deny %j`, async (command) => {
  expect(await denialOf(command)).toBeUndefined();
});

describe.each(Object.entries({ ...STARTERS, ...TEXT_STARTERS }))(
  '%s',
  (name, { operands = 0, ...starter }) => {
    const begin = [name, ...Array(operands).fill('1')].join(' ');

    test.each([
      `${begin} rm x`,
      `${begin} -- rm x`,
      `${name} -- ${'1 '.repeat(operands)}rm x`,
      `${begin} --unknown rm x`,
      `${begin} --unknown value rm x`,
      ...(starter.assignments === undefined ? [] : [`${begin} a.b=1 rm x`, `${begin} -- a-b=1 rm x`]),
      ...(starter.shell === true ? [`${begin} <<E\nrm x\nE`, `echo rm x | ${begin}`] : []),
    ])('%j starts rm', async (command) => {
      expect(await denialOf(command, 'exec')).toMatchObject({ rule: RULE });
    });
  },
);

describe.each([
  ['bash', 'Bash'],
  ['sh', 'exec'],
])('what starts rm in %s is denied to %s', (shell, toolName) => {
  test('of the tables', async () => {
    const texts = [...STARTING, ...STARTING_IN_SH, ...HARMLESS];
    const starting = findStarting(shell, texts);
    expect(starting.length).toBeGreaterThan(90);
    for (const text of starting)
      expect([text, await denialOf(text, toolName)]).toEqual([text, expect.anything()]);
  });

  test('of generated texts', HUNT, async () => {
    const texts = fc.sample(shellText, cases({ gate: 500, torture: 30_000 }));
    const denials = await Promise.all(texts.map((text) => denialOf(text, toolName)));
    const passed = texts.filter((_, at) => denials[at] === undefined);
    expect(passed.length).toBeGreaterThan(20);
    expect(findStarting(shell, passed)).toEqual([]);
  });
});

const PROGRAMS = [
  ...['bash', 'cat', 'env', 'false', 'find', 'nice', 'nohup', 'setsid', 'sh', 'stdbuf', 'timeout', 'true'],
  'xargs',
];

/** Runs texts where `rm` only records its folder, and no other program changes anything. Those that started it. */
function findStarting(shell: string, texts: readonly string[]): string[] {
  const root = makeTempFolder();
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const log = join(root, 'started');
  writeFileSync(log, '');
  writeFileSync(join(bin, 'rm'), `#!/bin/sh\npwd -P >> ${log}\n`, { mode: 0o755 });
  const found = spawnSync('sh', ['-c', `command -v ${PROGRAMS.join(' ')}`], { encoding: 'utf8' });
  for (const path of found.stdout.trim().split('\n')) symlinkSync(path, join(bin, basename(path)));
  for (const [at, text] of texts.entries()) {
    const folder = join(root, `text-${at}`);
    mkdirSync(folder);
    for (const name of ['x', 'f']) writeFileSync(join(folder, name), 'a\n');
    writeFileSync(join(folder, '.text'), text.replaceAll('@/', `${bin}/`));
  }
  // One process for all: starting one from here takes ten times as long as from a shell.
  const each = `for folder in ${root}/text-*; do cd $folder && /bin/${shell} .text </dev/null >/dev/null 2>&1; done`;
  const { status } = spawnSync('/bin/sh', ['-c', `${each}; true`], { env: { PATH: bin, HOME: root } });
  expect(status).toBe(0);
  const started = new Set(readFileSync(log, 'utf8').split('\n'));
  return texts.filter((_, at) => started.has(join(realpathSync(root), `text-${at}`)));
}

/** Pieces of syntax behind each other; a shell refuses most of what comes out. */
const pieces = fc
  .array(
    fc.constantFrom(
      ...[
        'rm x',
        'rm',
        'x',
        'f',
        'true',
        'echo',
        'env',
        'xargs',
        'sh',
        '-c',
        'eval',
        'command',
        'A=rm',
        '$A',
        '"$A"',
      ],
      ...[
        ' ',
        ' ',
        ' ',
        '\n',
        '; ',
        ' && ',
        ' | ',
        ' & ',
        '&>',
        '>',
        '<',
        '<<E\n',
        '\nE\n',
        '<<<',
        '2>&1 ',
        '#',
      ],
      ...[
        '(',
        ')',
        '((',
        '))',
        '{ ',
        '; }',
        '[[ ',
        ' ]]',
        '$(',
        '`',
        '${A:-',
        '}',
        '<(',
        '$((',
        '"',
        "'",
        "$'",
        '\\',
      ],
      ...['if ', '; then ', '; fi', 'case a in a) ', ';; esac', '! ', 'for a in ', '; do ', '; done', '\\\n'],
    ),
    { minLength: 2, maxLength: 12 },
  )
  .map((some) => some.join(''));

/** Syntax around other syntax. */
const nested = fc
  .tuple(
    fc.constantFrom('rm x', 'rm', 'echo rm', 'true', 'rm>f', 'A=rm; $A x'),
    fc.array(
      fc.constantFrom(
        ...[
          'if true; then %; fi',
          '(%)',
          '{ %; }',
          '((%))',
          '[[ a && % ]]',
          '! %',
          '! (%)',
          'true | %',
          'x & %',
          'true &>f %',
        ],
        ...[
          'echo $(%)',
          'echo "$(%)"',
          'echo `%`',
          'echo $((%))',
          'echo ${A:-$(%)}',
          'cat <<E\n$(%)\nE\n',
          "cat <<'E'\n%\nE\n",
        ],
        ...[
          "eval '%'",
          'eval "%"',
          "sh -c '%'",
          'bash -c "%"',
          "echo '%'",
          'echo "%"',
          "echo $'%'",
          'echo \\%',
          '# %',
          'echo %',
        ],
        ...[
          'env A=b %',
          'env a.b=1 %',
          "eval -- '%'",
          "trap -- '%' EXIT",
          'time -p %',
          'nice -n 5 %',
          'timeout 5 %',
          'xargs %',
          'A="b c" %',
          '>f %',
          'time %',
          'command %',
          'exec %',
          "%'",
          '%"',
        ],
      ),
      { maxLength: 4 },
    ),
  )
  .map(([text, around]) => around.reduce((inner, one) => one.replace('%', () => inner), text));

const shellText = fc.oneof(pieces, nested);

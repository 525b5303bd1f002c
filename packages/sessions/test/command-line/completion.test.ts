import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Program } from '../../src/command-line/command.ts';
import { declareCompletion } from '../../src/command-line/completion.ts';
import { runProgram } from '../../src/command-line/run-program.ts';
import { openTerminal } from '../../src/command-line/terminal.ts';
import { SAMPLE } from './sample-program.ts';

const PROGRAM: Program = {
  ...SAMPLE,
  commands: [...SAMPLE.commands, declareCompletion('post', () => PROGRAM)],
  prepare: () => Promise.reject(new Error('the settings cannot be read')),
};

async function printScript(shell: string): Promise<string> {
  let text = '';
  const terminal = openTerminal({ write: (more) => (text += more) }, { write: () => {} }, {});
  expect(await runProgram(PROGRAM, ['completion', shell], { env: {}, cwd: '/', terminal })).toBe(0);
  return text;
}

/** What a real bash offers for the words typed so far; the last one is the one that is completed. */
async function complete(...typed: string[]): Promise<string[]> {
  // As bash itself splits them.
  const words = typed.flatMap((word) => word.split(/(=)/).filter((part, at) => part !== '' || at === 0));
  if (typed.at(-1)?.endsWith('=')) words.push('');
  const script = `${await printScript('bash')}
COMP_WORDS=(post "$@"); COMP_CWORD=$#; _post_completion; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

const hasShell = (name: string) => spawnSync(name, ['-c', 'true']).status === 0;

describe.skipIf(!hasShell('bash'))('in bash (skipped where there is none)', () => {
  it.each([
    [[''], ['letter', 'pick', 'completion']],
    [['p'], ['pick']],
    [
      ['letter', ''],
      ['send', 'list'],
    ],
    [['letter', 'l'], ['list']],
    [
      ['pick', ''],
      ['bash', 'zsh'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['-'], ['--help', '--version', '--rates']],
    [
      ['letter', 'list', '--'],
      ['--json', '--no-json', '--help'],
    ],
    [
      ['letter', 'send', '--s'],
      ['--sign', '--state-dir'],
    ],
    [
      ['letter', 'send', '--tone', ''],
      ['plain', 'formal'],
    ],
    [['letter', 'send', '--tone', 'f'], ['formal']],
    [['letter', 'send', '--tone=f'], ['formal']],
    [
      ['letter', 'send', '--sign='],
      ['short', 'long'],
    ],
    [['letter', 'send', '--sign', ''], []],
    [['letter', 'send', '--to', ''], []],
    [['--tone', 'plain', 'letter', 'l'], ['list']],
    [['--tone=plain', 'letter', 'l'], ['list']],
    [['--state-dir', '/x', 'pi'], ['pick']],
    [['-c', '3', 'pi'], ['pick']],
    [['back'], []],
  ])('%j', async (typed, offered) => {
    expect(await complete(...typed)).toEqual(offered);
  });
});

describe.each(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  it('names commands, flags and values, and nothing hidden', async () => {
    const script = await printScript(shell);
    for (const text of ['letter', 'list', 'copies', 'plain', 'formal', 'completion']) {
      expect(script).toContain(text);
    }
    expect(script).not.toMatch(/background|secret-id/);
  });

  it.skipIf(!hasShell(shell))(
    'is one that the shell can read (skipped where it is not installed)',
    async () => {
      const { status, stderr } = spawnSync(shell, ['-n'], {
        input: await printScript(shell),
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
    },
  );
});

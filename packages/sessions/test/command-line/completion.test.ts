import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noTerminal, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import type { Program } from '../../src/command-line/command.ts';
import { declareCompletion } from '../../src/command-line/completion.ts';
import { runProgram } from '../../src/command-line/run-program.ts';
import { openTerminal } from '../../src/command-line/terminal.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
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

const reasonWithout = (shell: string) =>
  spawnSync(shell, ['-c', 'true']).status === 0 ? undefined : `(${shell} is not installed)`;

function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = makeTempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Asks one shell, which has the script, for each line in turn. It prints `<end>` behind the answer to each. */
async function askShell(shell: Shell, lines: readonly string[]): Promise<string[][]> {
  const folder = writeFiles({ script: await printScript(shell), ask: ASK[shell], program: ANSWERS[shell] });
  const { status, stdout, stderr } = spawnSync(shell, [...QUIET[shell], 'ask', ...lines], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm' },
    timeout: 60_000,
    encoding: 'utf8',
  });
  expect([status, stderr, existsSync(join(folder, 'ran'))]).toEqual([0, '', false]);
  const answers = stdout.split('<end>\n').slice(0, -1);
  return answers.map((answer) => answer.split('\n').filter((line) => line !== ''));
}

type Shell = 'bash' | 'zsh' | 'fish';

/** The last one would be run where a shell expands what it is offered. */
const PRINTED = 'agent:main:main\\tMain\\nagent:ops:main\\tOps\\n$(touch ran)\\tEvil\\n';

/** A program in the place of `post`: it is asked for what only it knows. */
const ANSWERS: Record<Shell, string> = {
  bash: `post() { [[ $* == complete\\ letter\\ --* ]] && printf '${PRINTED}'; }`,
  zsh: `post() { [[ "$*" == complete\\ letter\\ --* ]] && printf '${PRINTED}'; }`,
  fish: `function post; string match -q 'complete letter --*' -- "$argv"; and printf '${PRINTED}'; end`,
};

const QUIET: Record<Shell, string[]> = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] };

const ASK: Record<Shell, string> = {
  // The words as readline splits them, at blanks and `=`.
  bash: `source ./script
source ./program
for line; do
  split=\${line//=/ = }
  read -ra COMP_WORDS <<< "\${split//:/ : }"
  if [[ $line == *' ' ]]; then COMP_WORDS+=(''); fi
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _post_completion post
  printf '%s\\n' "\${COMPREPLY[@]}" '<end>'
done`,
  // Types each line into an interactive zsh in a terminal of its own, and lists what the completion adds.
  zsh: `zmodload zsh/zpty
zpty -b typist zsh -f -i
zpty -w typist "PROMPT=; autoload -Uz compinit && compinit -u -D; source ./script; source ./program
compadd () {
  if [[ \\\${@[1,(i)(-|--)]} == *-(O|A|D)\\\\ * ]]; then builtin compadd \\"\\$@\\"; return \\$?; fi
  local -a hits; builtin compadd -A hits \\"\\$@\\"; print -rl -- \\$hits >> answers
  builtin compadd \\"\\$@\\"
}
next () { print -r -- '<end>' >> answers; BUFFER= }
zle -N next; bindkey '^]' next; bindkey '^I' complete-word; : > answers"
until [[ -e answers ]]; do zpty -rt typist text; sleep 0.02; done
integer asked=0
for line; do
  zpty -w -n typist "$line"$'\\t\\x1d'
  (( asked++ ))
  until (( $(grep -c '<end>' answers) == asked )); do zpty -rt typist text; sleep 0.02; done
done
cat answers`,
  fish: `source ./script; source ./program
for line in $argv
    complete -C $line
    echo '<end>'
end`,
};

/** What each shell offers for a line that is typed so far. */
const OFFERED: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['', ['letter', 'pick', 'stamps', 'version', 'completion', 'help']],
  ['p', ['pick']],
  ['letter ', ['send', 'list']],
  ['letter l', ['list']],
  ['pick ', ['bash', 'zsh']],
  ['pick bash ', []],
  ['help ', ['letter', 'pick', 'stamps', 'version', 'completion', 'postage']],
  // A group that is a command too.
  ['stamps ', ['find']],
  ['stamps --', ['--of', '--no-color', '--help']],
  ['stamps --of ag', ['agent:main:main', 'agent:ops:main']],
  ['stamps --of=ag', ['agent:main:main', 'agent:ops:main']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['-', ['--no-color', '--help', '--version', '--rates']],
  ['letter list --', ['--json', '--no-json', '--no-color', '--help']],
  ['letter send --s', ['--sign', '--state-dir']],
  ['letter send --tone ', ['plain', 'formal']],
  ['letter send --tone f', ['formal']],
  ['letter send --tone=f', ['formal']],
  ['letter send --sign=', ['short', 'long']],
  ['letter send --to ', []],
  ['--tone plain letter l', ['list']],
  ['--tone=plain letter l', ['list']],
  ['--state-dir /x pi', ['pick']],
  ['-c 3 pi', ['pick']],
  ['back', []],
];

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
  const reason = reasonWithout(shell);
  it.skipIf(reason !== undefined)(`a line is completed as declared ${reason ?? ''}`, async () => {
    const answers = await askShell(
      shell,
      OFFERED.map(([line]) => `post ${line}`),
    );
    // fish sorts them, describes them, offers `--sign=` beside `--sign`, and names the flag before its value.
    const plain = answers.map((answer) => {
      const texts = answer.map((line) => line.replace(/\t.*$/, '').replace(/^--[a-z]+=(?=.)|=$/, ''));
      return [...new Set(texts)].sort();
    });
    expect(OFFERED.map(([line], at) => [line, plain[at]])).toEqual(
      OFFERED.map(([line, offered]) => [line, [...offered].sort()]),
    );
  });
});

const noBashTerminal = noTerminal ?? reasonWithout('bash');

it.skipIf(noBashTerminal !== undefined)(
  `Tab completes in an interactive bash ${noBashTerminal ?? ''}`,
  async () => {
    const folder = writeFiles({ script: await printScript('bash') });
    const asked = `if [[ $1 == complete ]]; then printf '${PRINTED}'; return; fi`;
    const post = `post() { ${asked}; printf "<%s>" "$@"; echo; }`;
    writeFileSync(join(folder, 'rc'), `PS1="> "; source ./script; ${post}`);
    const { child, ended, shows } = startInTerminal(['bash', '--rcfile', 'rc', '-i'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
    });
    await shows(/> /);
    child.stdin!.write('post let\tse\t--tone=f\t--sta\tscr\t\n');
    await shows(/<letter>.*\r\n/);
    child.stdin!.write('post stamps --of agent:o\t--of=agent:m\t\n');
    await shows(/<stamps>.*\r\n/);
    child.stdin!.write('exit\n');
    const { text } = await ended;
    expect(text).toContain('<letter><send><--tone=formal><--state-dir><script>\r\n');
    expect(text).toContain('<stamps><--of><agent:ops:main><--of=agent:main:main>\r\n');
  },
);

describe.each(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  it('names commands, flags and values, and nothing hidden', async () => {
    const script = await printScript(shell);
    for (const text of ['letter', 'list', 'copies', 'plain', 'formal', 'completion']) {
      expect(script).toContain(text);
    }
    expect(script).not.toMatch(/background|secret-id/);
  });

  const reason = reasonWithout(shell);
  it.skipIf(reason !== undefined)(`is one that the shell can read ${reason ?? ''}`, async () => {
    const folder = writeFiles({ script: await printScript(shell) });
    const { status, stderr } = spawnSync(shell, ['-n', 'script'], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

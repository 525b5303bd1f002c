import { expect, test } from 'vitest';
import { matchCommand } from '../../src/callers/match-command.ts';
import { splitShellWords } from '../../src/callers/shell-words.ts';

const COMMAND = ['occ', 'edit', '--strip-tools'];

test.each([
  'occ edit --strip-tools',
  '  occ   edit   --strip-tools  ',
  'npx occ edit --strip-tools',
  'npx -y oc-context-cleaner@latest edit --strip-tools',
  'npm exec occ -- edit --strip-tools',
  '/usr/local/bin/occ edit --strip-tools',
  'node "/opt/my tools/bin/occ.js" edit --strip-tools',
  'NO_COLOR=1 FOO="a b" occ edit --strip-tools',
  'cd ~/work && occ edit --strip-tools; echo done',
  'occ "edit" \'--strip-tools\'',
  'occ edit \\\n  --strip-tools',
  'occ edit --strip-tools 2>&1 | tee /tmp/log',
  'occ edit --strip-tools > /tmp/out 2>/tmp/err',
  'echo $(occ edit --strip-tools)',
  'bash -lc "cd /x && occ edit --strip-tools"',
  `sh -c 'bash -c "occ edit --strip-tools"'`,
  'timeout 60 occ edit --strip-tools # clean up',
])('%j runs the command', (command) => {
  expect(matchCommand({ command }, COMMAND)).toBe('exact');
});

test.each([
  [{ command: ['bash', '-lc', 'occ edit --strip-tools'] }],
  [{ command: ['occ', 'edit', '--strip-tools'] }],
  [{ command: 'occ', args: ['edit', '--strip-tools'] }],
  [{ nested: [{ cmd: 'occ edit --strip-tools' }], workdir: '/x' }],
  ['occ edit --strip-tools'],
])('%j runs the command, however the tool takes it', (callArguments) => {
  expect(matchCommand(callArguments, COMMAND)).toBe('exact');
});

test.each([
  "subprocess.run(['occ', 'edit', '--strip-tools'])",
  'const run = `occ edit --strip-tools`',
  'execFile("occ", ["edit","--strip-tools"])',
])('%j holds the command', (code) => {
  expect(matchCommand({ code }, COMMAND)).toMatch(/^(?:exact|loose)$/);
});

test.each(['occ edit "$ID" --strip-tools', 'occ edit --strip-tools=extreme'])(
  '%j has the same verb only',
  (command) => {
    expect(matchCommand({ command }, COMMAND)).toBe('verb');
  },
);

test('more words behind it make it another command, though one that looks alike', () => {
  expect(matchCommand({ command: 'occ edit --strip-tools --json' }, COMMAND)).toBe('loose');
});

test.each([
  'ls -la',
  'occ info',
  'myocc edit --strip-tools',
  'occ-other edit --strip-tools',
  'echo edit --strip-tools',
  'occ list; vim edit',
  '',
])('%j is another command', (command) => {
  expect(matchCommand({ command }, COMMAND)).toBeUndefined();
});

test.each([null, undefined, 5, {}, [], { command: null }])(
  'arguments %j hold no command',
  (callArguments) => {
    expect(matchCommand(callArguments, COMMAND)).toBeUndefined();
  },
);

test('words with characters that mean something in patterns are compared as they are', () => {
  expect(matchCommand({ code: '["occ","info","a.b(c)+$"]' }, ['occ', 'info', 'a.b(c)+$'])).toBe('loose');
  expect(matchCommand({ command: 'occ info axb' }, ['occ', 'info', 'a.b'])).toBe('verb');
});

test('splitting keeps what is quoted together and leaves redirections out', () => {
  expect(splitShellWords(`a 'b c' "d \\"e" f\\ g; h>out i 2>&1 & j <in`)).toEqual([
    ['a', 'b c', 'd "e', 'f g'],
    ['h', 'i'],
    ['j'],
  ]);
  expect(splitShellWords(`a "unclosed b`)).toEqual([['a', 'unclosed b']]);
  expect(splitShellWords('')).toEqual([]);
});

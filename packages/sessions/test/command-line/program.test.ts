import { afterEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/command-line/run-program.ts';
import { openTerminal } from '../../src/command-line/terminal.ts';
import { CALLS, SAMPLE } from './sample-program.ts';

afterEach(() => CALLS.splice(0));

async function run(...argv: string[]) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const terminal = openTerminal(stream('stdout'), stream('stderr'), {});
  const code = await runProgram(SAMPLE, argv, { env: {}, cwd: '/', terminal });
  return { code, ...texts };
}

describe('flags and words', () => {
  it.each([
    [['letter', 'send', 'Hi', '--to', 'Ann', '--to=Ben'], { word: 'Hi', to: ['Ann', 'Ben'] }],
    [['--tone', 'plain', 'letter', 'send', 'Hi'], { word: 'Hi', tone: 'plain' }],
    [['letter', '-c3', 'send', 'Hi'], { word: 'Hi', copies: 3 }],
    [['letter', 'send', '--sign', 'Hi'], { word: 'Hi', sign: true }],
    [['letter', 'send', '--sign=long', 'Hi'], { word: 'Hi', sign: 'long' }],
    [['letter', 'send', '--', '--sign'], { word: '--sign' }],
    [['letter', 'send', '-'], { word: '-' }],
  ])('%j', async (argv, call) => {
    expect(await run(...argv)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(CALLS).toEqual([{ ...call }]);
  });

  it.each([
    [['letter', 'send', '--tone', 'frmal'], '--tone must be one of plain, formal', 'Did you mean formal?'],
    [['letter', 'send', '-c', '10'], "-c must be a whole number from 1 to 9, not '10'", 'Write -c <n>'],
    [['letter', 'send', '--price', '$x'], 'must be an amount in US dollars', 'Example: --price 2.50'],
    [['letter', 'send', '--price', '$0.001'], 'must be an amount in US dollars', 'Example: --price 2.50'],
    [['letter', 'send', '--to', '--sign'], '--to needs a value', 'written --to=-…'],
    [['letter', 'send', '--state-dir', ' '], '--state-dir is empty', 'Leave it out'],
    [['letter', 'send', '--wait', '5'], "--wait takes its seconds only after '='", 'a text that is named 5'],
    [['letter', 'send', '- buy milk'], "'- buy milk' begins with a dash", "letter send -- '- buy milk'"],
    [['letter', 'send', 'a', 'b'], "Unexpected word: 'b'", 'put the text between quotation marks'],
    [['letter', 'send', 'a', '--', '--json'], "Unexpected word: '--json'", 'words after -- are not flags'],
    [['letter', 'sned'], 'Unknown command: letter sned', 'Did you mean letter send?'],
    [['letter', 'burn'], 'Unknown command: letter burn', "'post letter' has send and list"],
    [['letter', 'list', '--to', 'x'], "'post letter list' has no flag --to", "'post letter send' has it"],
    [['pick'], 'The shell must be one of bash, zsh', 'Example: post pick bash'],
    [['pick', 'zhs'], "The shell must be one of bash, zsh, not 'zhs'", 'Did you mean zsh?'],
  ])('%j is refused', async (argv, message, hint) => {
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stdout]).toEqual([1, '']);
    const [first, second] = stderr.split('\n');
    expect(first).toContain(message);
    expect(second).toContain(hint);
    expect(CALLS).toEqual([]);
  });

  it('a group may be a command too, and a command may take many words', async () => {
    expect(await run('stamps')).toMatchObject({ code: 0 });
    expect(await run('stamps', 'find', 'blue', 'one')).toMatchObject({ code: 0 });
    expect(CALLS).toEqual(['stamps', { find: ['blue', 'one'] }]);
    const { stdout } = await run('stamps', '--help');
    expect(stdout).toMatch(/List stamps\..*Commands:\n {2}stamps find <words…>/s);
    const { code, stderr } = await run('stamps', 'fnid');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Did you mean stamps find?')]);
  });

  it('a short form is that of the command', async () => {
    expect(await run('stamps', 'find', '-c', 'blue')).toMatchObject({ code: 0 });
    expect(await run('letter', 'send', '-c', '3', 'Hi')).toMatchObject({ code: 0 });
    expect(CALLS).toEqual([
      { find: ['blue'], cheap: true },
      { word: 'Hi', copies: 3 },
    ]);
    expect((await run('-c', '3', 'stamps', 'find', 'x')).stderr).toMatch(
      /^Error: A flag before 'stamps find' has another meaning.*\n {2}Put it after the command: post stamps find …/,
    );
    expect((await run('letter', 'list', '-c')).stderr).toMatch(
      /'post letter list' has no flag -c\n {2}'post letter send' and 'post stamps find' have it/,
    );
  });

  it('every command takes --no-color, and none is given it', async () => {
    for (const argv of [
      ['letter', 'send', 'Hi', '--no-color'],
      ['--no-color', 'letter', 'send', 'Hi'],
    ]) {
      expect((await run(...argv)).code).toBe(0);
      expect(CALLS.splice(0)).toEqual([{ word: 'Hi' }]);
    }
    const { stderr } = await run('letter', 'list', '--no-colour');
    expect(stderr).toContain('Did you mean --no-color?');
  });

  it('an error is one JSON object if --json is anywhere before --', async () => {
    const { stderr } = await run('--json', 'lettr');
    expect(JSON.parse(stderr)).toMatchObject({ success: false, error: { code: 'USAGE' } });
    expect((await run('lettr', '--', '--json')).stderr).toMatch(/^Error: /);
  });
});

it('a program may give wrong use an exit code of its own', async () => {
  const terminal = openTerminal({ write: () => {} }, { write: () => {} }, {});
  const surroundings = { env: {}, cwd: '/', terminal };
  const failing = { ...SAMPLE, prepare: () => Promise.reject(new Error('no settings')) };
  for (const [argv, without, withCode] of [
    [['lettr'], 1, 2],
    [['letter', 'list'], 1, 1],
  ] as const) {
    expect(await runProgram(failing, argv, surroundings)).toBe(without);
    expect(await runProgram({ ...failing, exitCodes: { USAGE: 2 } }, argv, surroundings)).toBe(withCode);
  }
});

describe('what the program says of itself', () => {
  it.each([[[]], [['help']], [['--help']]])('%j: the commands', async (argv) => {
    const { code, stdout } = await run(...argv);
    expect([code, stdout]).toEqual([0, (await run('--help')).stdout]);
    expect(stdout).toMatch(/Mail:\n {2}letter <command> +Letters: send, list\n {2}pick <shell>/);
    expect(stdout).toMatch(/Further commands:\n {2}stamps \[command\] +List stamps: find\n {2}version/);
    expect(stdout).toMatch(/Topics of help:\n {2}postage {2}What it costs/);
  });

  it.each([[['letter']], [['letter', 'help']], [['letter', '--help']], [['help', 'letter']]])(
    '%j: the commands of the group',
    async (argv) => {
      const { code, stdout } = await run(...argv);
      expect([code, stdout]).toEqual([0, (await run('letter')).stdout]);
      expect(stdout).toMatch(/^Letters\.\n\nUsage:\n {2}post letter <command>.*letter send <text>/s);
      expect(stdout).not.toContain('stamps');
    },
  );

  it('a topic', async () => {
    expect(await run('help', 'postage')).toEqual({
      code: 0,
      stdout: 'What it costs.\n\nMuch.\n\nRates:\n  letter  1\n',
      stderr: '',
    });
  });

  it.each([
    [['help', 'postag'], 'Unknown command or topic: postag', 'Did you mean postage?'],
    [['help', 'letter', 'sned'], 'Unknown command: letter sned', 'Did you mean letter send?'],
    [['lettr'], 'Unknown command: lettr', 'Did you mean letter?'],
    [['lettr', 'sned'], 'Unknown command: lettr', 'Did you mean letter send?'],
    [['send'], 'Unknown command: send', 'Did you mean letter send?'],
  ])('%j: the nearest name', async (argv, message, hint) => {
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stdout]).toEqual([1, '']);
    const [first, second] = stderr.split('\n');
    expect(first).toContain(message);
    expect(second).toContain(hint);
  });

  it('the version and the pages', async () => {
    for (const flag of ['--version', '-V']) expect((await run(flag)).stdout).toBe('1.2.3\n');
    expect(await run('version')).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' });
    expect((await run('version', 'x')).stderr).toContain("Unexpected word: 'x'");
    expect((await run('--rates')).stdout).toBe('Too much.\n');
  });
});

describe('a hidden command', () => {
  it('runs with its flags', async () => {
    await run('background-send', '/x', '--secret-id', '7');
    expect(CALLS).toEqual([{ id: '7', path: '/x' }]);
  });

  it('is neither shown nor suggested, nor are its flags', async () => {
    expect((await run('--help')).stdout).not.toContain('background');
    expect((await run('background-sen')).stderr).not.toContain('background-send');
    const { stderr } = await run('letter', 'list', '--secret-id', '7');
    expect(stderr).toBe("Error: Unknown flag: --secret-id\n  'post letter list --help' lists its flags\n");
    expect((await run('letter', 'list', '--secret-ix', '7')).stderr).not.toContain('--secret-id');
  });
});

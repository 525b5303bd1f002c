import { OpenBotError } from '@openbot/sessions';
import { parseArguments } from '@openbot/sessions/command-line';
import { describe, expect, it } from 'vitest';
import { OCC } from '../../src/cli/main.ts';

function parse(line: string) {
  const { command, flags, words } = parseArguments(OCC, line === '' ? [] : line.split(' '));
  return { command: command.name, flags, words };
}

function refuse(line: string): { message: string; hint: string | undefined } {
  try {
    parse(line);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    expect(error.code).toBe('USAGE');
    return { message: error.message, hint: error.hint };
  }
  throw new Error(`accepted: ${line}`);
}

describe('flags with a value', () => {
  it.each([
    ['edit --keep 5', { keep: 5 }],
    ['edit --keep=5', { keep: 5 }],
    ['edit --keep 0 --truncate 12.5', { keep: 0, truncate: 12.5 }],
    ['list -n 3', { limit: 3 }],
    ['list -n3', { limit: 3 }],
    ['list -n=3', { limit: 3 }],
    ['list --limit 3', { limit: 3 }],
    ['clone -o /tmp/x.jsonl', { output: '/tmp/x.jsonl' }],
    ['clone --output=-x.jsonl', { output: '-x.jsonl' }],
    ['list --agent work --source claude', { agent: 'work', source: 'claude' }],
    ['edit --keep 1 --keep 2', { keep: 2 }],
    ['restore --backup 2', { backup: 2 }],
  ])('%s', (line, flags) => {
    expect(parse(line)).toMatchObject({ flags, words: [] });
  });

  it.each([
    ['edit --keep', '--keep needs a value', 'Write --keep <n>'],
    ['edit --keep --json', '--keep needs a value', 'Write --keep <n>'],
    ['edit --keep=', '--keep is empty', 'Leave it out, or give it a value: --keep <n>'],
    [
      'edit --keep -1',
      "--keep must be a whole number of at least 0, not '-1'",
      "Write --keep <n>; 'occ edit --help' explains it",
    ],
    [
      'edit --keep 1.5',
      "--keep must be a whole number of at least 0, not '1.5'",
      "Write --keep <n>; 'occ edit --help' explains it",
    ],
    [
      'edit --keep 0x10',
      "--keep must be a whole number of at least 0, not '0x10'",
      "Write --keep <n>; 'occ edit --help' explains it",
    ],
    [
      'edit --keep 1e3',
      "--keep must be a whole number of at least 0, not '1e3'",
      "Write --keep <n>; 'occ edit --help' explains it",
    ],
    [
      'edit --keep 99999999999999999999',
      /--keep must be a whole number/,
      "Write --keep <n>; 'occ edit --help' explains it",
    ],
    [
      'edit --truncate 101',
      "--truncate must be a number from 0 to 100, not '101'",
      "Write --truncate <percent>; 'occ edit --help' explains it",
    ],
    [
      'edit --truncate half',
      "--truncate must be a number from 0 to 100, not 'half'",
      "Write --truncate <percent>; 'occ edit --help' explains it",
    ],
    [
      'list -n 0',
      "-n must be a whole number of at least 1, not '0'",
      "Write -n <n>; 'occ list --help' explains it",
    ],
    ['list -n', '-n needs a value', 'Write -n <n>'],
    [
      'restore --backup 0',
      "--backup must be a whole number of at least 1, not '0'",
      "Write --backup <n>; 'occ restore --help' explains it",
    ],
    [
      'list --source open',
      "--source must be one of openclaw, pi, claude, all, not 'open'",
      'Did you mean openclaw?',
    ],
  ])('%s is refused', (line, message, hint) => {
    const refused = refuse(line);
    expect(refused.message).toMatch(message);
    expect(refused.hint).toBe(hint);
  });
});

describe('flags that take a value only after =', () => {
  it.each([
    ['edit --strip-tools', { stripTools: true }, []],
    ['edit --strip-tools=extreme', { stripTools: 'extreme' }, []],
    ['edit --strip-tools abc123', { stripTools: true }, ['abc123']],
    ['edit --strip-tools aggressive', { stripTools: true }, ['aggressive']],
    ['edit abc123 --strip-tools', { stripTools: true }, ['abc123']],
    ['edit --strip-tools --wait', { stripTools: true, wait: 600 }, []],
    ['edit --strip-tools --wait=0.5', { wait: 0.5 }, []],
    ['edit --wait abc123 --strip-tools', { stripTools: true, wait: 600 }, ['abc123']],
    ['edit 30 --strip-tools --wait', { wait: 600 }, ['30']],
  ])('%s', (line, flags, words) => {
    expect(parse(line)).toMatchObject({ flags, words });
  });

  it('a number behind --wait is not taken for a session', () => {
    expect(refuse('edit --strip-tools --wait 30')).toEqual({
      message: "--wait takes its seconds only after '='",
      hint: 'Write --wait=30; a session that is named 30 goes before the flag',
    });
  });

  it.each([
    ['edit --strip-tools=', '--strip-tools is empty'],
    ['edit --wait=soon', "--wait must be a number of seconds of at least 0, not 'soon'"],
    ['edit --wait=-1', "--wait must be a number of seconds of at least 0, not '-1'"],
  ])('%s is refused', (line, message) => {
    expect(refuse(line).message).toBe(message);
  });
});

describe('flags without a value', () => {
  it('are absent unless given', () => {
    expect(parse('edit').flags).toEqual({});
    expect(parse('edit --dry-run --force --when-idle').flags).toEqual({
      dryRun: true,
      force: true,
      whenIdle: true,
    });
    expect(parse('clone --no-register').flags).toEqual({ noRegister: true });
  });

  it('--no-json and --no-verbose take back what the environment sets', () => {
    expect(parse('list --no-json --no-verbose').flags).toEqual({ json: false, verbose: false });
  });

  it('take none', () => {
    expect(refuse('list --json=yes').message).toBe('--json takes no value');
    expect(refuse('list --no-json=yes').message).toBe('--no-json takes no value');
  });
});

describe('words', () => {
  it('flags may precede the command', () => {
    expect(parse('--json --agent work list')).toEqual({
      command: 'list',
      flags: { json: true, agent: 'work' },
      words: [],
    });
  });

  it('everything after -- is a word', () => {
    expect(parse('info -- --odd-name')).toEqual({ command: 'info', flags: {}, words: ['--odd-name'] });
  });

  it.each([
    ['list abc', "Unexpected word: 'abc'", "'occ list' takes flags only; 'occ list --help' lists its flags"],
    [
      'edit a b c',
      "Unexpected words: 'b', 'c'",
      /takes one session; write a preset as --strip-tools=<preset>/,
    ],
    ['info 26b x', "Unexpected word: 'x'", "'occ info' takes one session; 'occ info --help' lists its flags"],
    ['demo now', "Unexpected word: 'now'", /takes flags only/],
    ['', 'No command given', "'occ --help' lists the commands"],
    ['--json', 'No command given', "'occ --help' lists the commands"],
    ['lst', 'Unknown command: lst', /^Did you mean list\?/],
    ['xyzzy', 'Unknown command: xyzzy', "'occ --help' lists the commands"],
  ])('"%s" is refused', (line, message, hint) => {
    const refused = refuse(line);
    expect(refused.message).toBe(message);
    expect(refused.hint).toMatch(hint);
  });
});

describe('flags that are not there', () => {
  it.each([
    ['edit --striptools', 'Unknown flag: --striptools', /^Did you mean --strip-tools\?/],
    ['edit --strip-tool=extreme', 'Unknown flag: --strip-tool', /^Did you mean --strip-tools\?/],
    ['edit --dryrun', 'Unknown flag: --dryrun', /^Did you mean --dry-run\?/],
    ['list --jsno', 'Unknown flag: --jsno', /^Did you mean --json\?/],
    ['list --xyzzy', 'Unknown flag: --xyzzy', /^'occ list --help' lists its flags$/],
    ['--xyzzy', 'Unknown flag: --xyzzy', /^'occ --help' lists the commands and flags$/],
    ['list -x', 'Unknown flag: -x', /^'occ list --help' lists its flags$/],
    ['list -v', 'Unknown flag: -v', 'Did you mean --verbose or --version?'],
    ['list --no-force', 'Unknown flag: --no-force', /./],
  ])('%s is refused', (line, message, hint) => {
    const refused = refuse(line);
    expect(refused.message).toBe(message);
    expect(refused.hint).toMatch(hint);
  });

  it('a flag of another command is refused, and its command named', () => {
    expect(refuse('list --strip-tools')).toEqual({
      message: "'occ list' has no flag --strip-tools",
      hint: "'occ edit' and 'occ clone' have it; 'occ list --help' lists its flags",
    });
    expect(refuse('info --force').message).toBe("'occ info' has no flag --force");
    expect(parse('clone --force').flags).toEqual({ force: true });
    expect(refuse('edit -n 3').message).toBe("'occ edit' has no flag -n");
  });
});

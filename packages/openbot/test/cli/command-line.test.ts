import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listVisible } from '@openbot/sessions/command-line';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { OPENBOT } from '../../src/cli/main.ts';
import { COMMAND } from '../setup/command-file.ts';
import { writeSession } from '../setup/own-session.ts';
import { makeHome } from '../setup/run-openbot.ts';

test.each([
  [['cc', 'frobnicate'], /Unknown command: cc frobnicate/, /'openbot cc' has list, status/],
  [['frobnicate'], /Unknown command: frobnicate/, /'openbot --help' lists the commands/],
  [['cc', 'list', 'word'], /Unexpected word: 'word'/, /takes flags only; .*--help/],
  [['cc', 'list', '--nope'], /--nope/, /cc list --help/],
  [['cc', 'list', '-n', 'few'], /whole number/, /--limit 20/],
  [['cc', 'list', '--all', '--repo', '.'], /contradict/, /Leave one/],
  [['cc', 'list', '--repo', ''], /--repo is empty/, /Leave it out/],
  [['cc', 'select', 'x', '--budget', 'much'], /US dollars/, /--budget 2.50/],
  [['cc', 'select', 'x', '--threshold', '60'], /from 0 to 1/, /--threshold 0.7/],
  [['cc', 'select', 'x', '--threshold', ''], /--threshold is empty/, /--threshold 0.7/],
  [['cc', 'select', 'x', '--model', ' '], /--model is empty/, /--model <name>/],
  [['cc', 'select', 'x', '--model', 'y', '--words'], /contradict/, /Leave one/],
  [['cc', 'select', 'x', '--budget', '0x10'], /US dollars above 0, not '0x10'/, /--budget 2.50/],
  [['cc', 'select', 'x', '--budget', '1e3'], /US dollars above 0, not '1e3'/, /--budget 2.50/],
  [['cc', 'select', 'x', '--budget', '0.00001'], /US dollars/, /--budget 2.50/],
  [
    ['cc', 'select', 'x', '--label', 'x'.repeat(65)],
    /--label takes at most 64 characters/,
    /--label release/,
  ],
  [['cc', 'run', 'x', '--label', 'a\u0007b'], /--label takes .* control characters/, /--label release/],
  [['cc', 'list', '--state-dir', ''], /--state-dir is empty/, /--state-dir ~\/\.openbot/],
  [['cc', 'status', '--agent', ''], /--agent is empty/, /--agent main/],
  [['mcp', '--session', ''], /--session is empty/, /--session agent:main:main/],
  [['mcp', '--session=  '], /--session is empty/, /Leave it out/],
  [['mcp', '--workspace', ''], /--workspace is empty/, /Leave it out/],
  [['mcp', '--workspace', '/nowhere/at all'], /--workspace is not a folder: \/nowhere/, /Omit it/],
  [['mcp', '--repo', ''], /--repo is empty/, /Leave it out/],
  [['mcp', '--agent', ' '], /--agent is empty/, /--agent main/],
  [['cc', 'status', '--agent', '../x'], /agent id/, /\n {2}It names one file/],
  [['cc', 'select'], /What is the task/, /openbot cc select "/],
  [['cc', 'select', 'two', 'words'], /Unexpected word: 'words'/, /quotation marks/],
  [['cc', 'select', '-'], /Standard input has no task/, /openbot cc select - </],
  [['cc', 'run'], /What is the task/, /openbot cc run "/],
  [['cc', 'run', '- fix this'], /'- fix this' begins with a dash/, /-- before the task/],
  [['cc', 'run', 'x', '--nope'], /--nope/, /cc run --help/],
  [['cc', 'run', 'x', '--label'], /--label needs a value/, /--label=-/],
  [['cc', 'run', 'x', '--label', ' '], /--label is empty/, /--label release/],
  [['cc', 'run', 'x', '--fresh', '--session', 'y'], /contradict/, /Leave one/],
  [['cc', 'run', 'x', '--fresh', '--fork', '--label', 'y'], /--fork and --fresh contradict/, /Leave one/],
  [
    ['cc', 'run', 'x', '--session', '1234'],
    /has the title '1234'/,
    /its first 8 characters or more, or a title/,
  ],
  [['cc', 'run', 'x', '--session', '12345678'], /begins with '12345678'/, /cc list/],
  [['cc', 'run', 'x', '--allow', 'Bash(git'], /'Bash\(git' is not a rule for --allow/, /--allow 'Read/],
  [['cc', 'run', 'x', '--threshold', '60'], /from 0 to 1/, /--threshold 0.7/],
  [['cc', 'run', 'x', '--budget', '0'], /US dollars/, /--budget 2.50/],
  [['cc', 'run', 'x', '--repo', '/nowhere/at all'], /\/nowhere\/at all/, /\S/],
  [['help', 'frobnicate'], /Unknown command or topic: frobnicate/, /'openbot --help' lists the commands/],
  [['help', 'enviroment'], /Unknown command or topic: enviroment/, /Did you mean environment\?/],
  [['help', 'cc', 'frobnicate'], /Unknown command: cc frobnicate/, /'openbot cc' has list/],
  [['agent', 'hello', 'you'], /Unexpected words: 'hello', 'you'/, /openbot agent -m 'hello you'\?/],
  [['confg'], /Unknown command: confg/, /Did you mean config\?/],
  [['confg', 'gte'], /Unknown command: confg/, /Did you mean config get\?/],
  [['sessions', 'delte'], /Unknown command: sessions delte/, /^ {2}'openbot sessions' has .*delete/m],
  [['sessions', 'rest'], /Unknown command: sessions rest/, /Did you mean sessions restore\?/],
  [['sesions', 'delte'], /Unknown command: sesions/, /Did you mean sessions\?/],
  [['--help=1'], /--help takes no value/, /'openbot --help' lists the commands and flags/],
  [['sessions', 'show', '--help=1'], /--help takes no value/, /\S/],
  [['usage', '--by', 'wek'], /must be one of day, .*, not 'wek'/, /Example: --by day/],
  [['sessions', 'export', 'x', '--format', 'pdf'], /must be one of md,/, /Example: --format html/],
  [['-x'], /Unknown flag: -x/, /'openbot --help' lists the commands and flags/],
])('%j is refused with a hint, as text and as JSON', async (args, message, hint) => {
  const home = makeHome();
  const { code, stdout, stderr } = await home.run([...args, '--json']);
  const { success, error } = JSON.parse(stderr);
  expect([code, stdout, success]).toEqual([error.code === 'USAGE' ? 2 : 1, '', false]);
  const plain = await home.run(args);
  expect([plain.code, plain.stdout]).toEqual([code, '']);
  expect(plain.stderr).toMatch(message);
  expect(plain.stderr).toMatch(hint);
});

test('sessions list is sessions', async () => {
  const home = makeHome();
  const { code, stdout, stderr } = await home.run(['sessions', 'list', '--json']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe((await home.run(['sessions', '--json'])).stdout);
  expect((await home.run(['sessions', '--help'])).stdout).not.toContain('sessions list');
});

test('every group says what it is about', () => {
  const groups = new Set(
    OPENBOT.commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]!),
  );
  const commands = new Set(OPENBOT.commands.map(({ name }) => name));
  const silent = [...groups].filter((one) => !commands.has(one) && !OPENBOT.help.groups?.[one]);
  expect([groups.size > 5, silent]).toEqual([true, []]);
});

test('flags may precede the command', async () => {
  const home = makeHome();
  expect(await home.run(['--json', 'cc', 'list'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  expect(await home.run(['--json', 'cc', 'list', '-n', '1'])).toEqual({
    code: 0,
    stdout: '[]\n',
    stderr: '',
  });
});

test('an error shows no characters that act or hide', async () => {
  const { stderr } = await makeHome().run(['cc', 'a\u001b[31m\u202eb\u200bc']);
  expect(stderr).toContain('Unknown command: cc a\ufffd[31m\ufffdb\ufffdc\n');
});

test('words after -- are not flags', async () => {
  const { code, stderr } = await makeHome().run(['cc', 'run', '--', '- x', '--json']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/Unexpected word: '--json'\n {2}.*words after -- are not flags/);
});

test('the start of an id that fits two sessions', async () => {
  const home = makeHome();
  const ids = ['11111111-0000-4000-8000-000000000001', '11111111-0000-4000-8000-000000000002'];
  for (const id of ids) writeSession(home, home.folder, id, 'teach the parser');
  const { code, stdout, stderr } = await home.run(['cc', 'run', 'x', '--session', '11111111']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /^Error: 2 sessions begin with '11111111': .*\n {2}Give more characters of the id\n$/,
  );
  for (const id of ids) expect(stderr).toContain(id);
});

test('a title that fits two sessions, or none', async () => {
  const home = makeHome();
  const ids = ['11111111-0000-4000-8000-000000000001', '11111111-0000-4000-8000-000000000002'];
  for (const id of ids) writeSession(home, home.folder, id, 'teach the parser', 'main', 'The Parser');
  const two = await home.run(['cc', 'run', 'x', '--session', 'the parser']);
  expect([two.code, two.stdout]).toEqual([2, '']);
  expect(two.stderr).toMatch(
    /^Error: 2 sessions have the title 'the parser': .*\n {2}Give the id of one of them\n$/,
  );
  for (const id of ids) expect(two.stderr).toContain(id);
  const third = '11111111-0000-4000-8000-000000000003';
  writeSession(home, home.folder, third, '[openclaw:agent=other]\n\nteach it', 'main', 'THE PARSER');
  const exact = ['--session', 'THE PARSER', '--claude', '/nowhere'];
  expect((await home.run(['cc', 'run', 'x', ...exact])).stderr).toContain(`${third} belongs to agent other`);
  const none = await home.run(['cc', 'run', 'x', '--session', 'The Lexer']);
  expect(none.stderr).toMatch(
    /^Error: No session of .* has the title 'The Lexer'\n {2}--session takes an id, .* or a title/,
  );
});

test('a whole id is looked for too: one of another repository is refused, and says where it is', async () => {
  const home = makeHome();
  const [here, other] = ['here', "the other's"].map((name) => join(home.folder, name)) as [string, string];
  for (const path of [here, other]) mkdirSync(join(path, '.git'), { recursive: true });
  const id = '11111111-0000-4000-8000-000000000001';
  writeSession(home, other, id, 'teach the parser');
  mkdirSync(join(home.stateDir, 'claude-code', 'ada'), { recursive: true });
  writeFileSync(join(home.stateDir, 'claude-code', 'ada', 'sessions.json'), 'no JSON');
  const args = ['cc', 'run', 'x', '--session', id.toUpperCase(), '--repo', here];
  const { code, stdout, stderr } = await home.run(args);
  expect([code, stdout]).toEqual([2, '']);
  const [warning, ...error] = stderr.split('\n');
  expect(warning).toMatch(/^Warning: .*sessions\.json/);
  expect(error.join('\n')).toBe(
    `Error: Session ${id} belongs to ${other}, not to ${here}\n  To continue it: --repo '${home.folder}/the other'\\''s'\n`,
  );
});

test('an invalid agent id from the environment is reported with its variable', async () => {
  const home = makeHome();
  home.env.CLAWDBOT_AGENT_ID = '../x';
  const { code, stderr } = await home.run(['cc', 'list']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Error: CLAWDBOT_AGENT_ID: .*\n {2}Correct CLAWDBOT_AGENT_ID, or unset it\n$/);
});

test('a task comes by standard input', async () => {
  const home = makeHome();
  writeSession(
    home,
    home.folder,
    '11111111-0000-4000-8000-000000000001',
    '[openclaw:agent=main]\n\nthe parser',
  );
  const args = ['cc', 'select', '-', '--words'];
  expect((await home.run(args, { input: 'fix\nthe parser\n' })).stdout).toMatch(/in common: parser/);
});

test('an unreadable registry is reported beside the answer, and with --json as JSON', async () => {
  const home = makeHome();
  mkdirSync(join(home.stateDir, 'claude-code', 'ada'), { recursive: true });
  writeFileSync(join(home.stateDir, 'claude-code', 'ada', 'sessions.json'), 'no JSON');
  const plain = await home.run(['cc', 'list']);
  expect([plain.code, plain.stderr]).toEqual([0, expect.stringMatching(/^Warning: .*sessions\.json/)]);
  const { code, stdout, stderr } = await home.run(['cc', 'list', '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, []]);
  expect(JSON.parse(stderr)).toEqual({ warning: { message: expect.stringContaining('sessions.json') } });
});

test('a repository that is not there', async () => {
  const home = makeHome();
  const { code, stderr } = await home.run(['cc', 'status', '--repo', join(home.folder, 'gone'), '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'REPO_NOT_FOUND', hint: expect.any(String) });
});

test.each([[[]], [['help']], [['--help']]])('%j lists every command and topic', async (args) => {
  const { code, stdout } = await makeHome().run(args, { columns: 80 });
  expect(code).toBe(0);
  for (const { name } of listVisible(OPENBOT)) {
    const [first, second = ''] = name.split(' ');
    expect(stdout).toMatch(new RegExp(`^ {2}${first}\\b[^]*\\b${second}\\b`, 'm'));
  }
  for (const topic of Object.keys(OPENBOT.topics!)) expect(stdout).toContain(`\n  ${topic} `);
  // Each has its place.
  expect(stdout).not.toContain('Further commands');
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each([[['help', 'cc']], [['cc']], [['cc', '--help']], [['cc', 'help']]])(
  '%j explains the commands of the group',
  async (args) => {
    const { code, stdout } = await makeHome().run(args, { columns: 80 });
    expect([code, stdout]).toEqual([0, expect.stringContaining('cc select <task>')]);
    expect(stdout).not.toContain('openbot agent');
  },
);

test.each(Object.keys(OPENBOT.topics!))('help %s', async (topic) => {
  for (const columns of [40, 80]) {
    const { code, stdout } = await makeHome().run(['help', topic], { columns });
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(200);
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
  }
});

test.each(COMMANDS.map(({ name }) => name))('the help of %s fits on a terminal', async (name) => {
  const { code, stdout } = await makeHome().run([...name.split(' '), '--help'], { columns: 80 });
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(await makeHome().run(['help', ...name.split(' ')], { columns: 80 })).toEqual({
    code,
    stdout,
    stderr: '',
  });
});

test('the help of one command names its flags', async () => {
  const { stdout } = await makeHome().run(['cc', 'list', '--help']);
  expect(stdout).toContain('Usage:\n  openbot cc list');
  expect(stdout).toMatch(/-n, --limit <count>/);
});

test('the command itself, in a process of its own', () => {
  const { env } = makeHome();
  const ran = spawnSync(process.execPath, [...COMMAND, '--version'], {
    env: env as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/), '']);
});

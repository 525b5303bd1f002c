// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of the file are what is tested
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits, listVisible } from '@openbot/sessions/command-line';
import { describe, expect, it, test } from 'vitest';
import { OPENBOT } from '../../src/cli/main.ts';
import { makeHome } from '../setup/run-openbot.ts';

const SECRET = 'sk-live-27182818284';

function makeConfigHome(text?: string) {
  const home = makeHome();
  const path = join(home.stateDir, 'openbot.json');
  mkdirSync(home.stateDir);
  if (text !== undefined) writeFileSync(path, text);
  return {
    ...home,
    path,
    config: (...args: string[]) => home.run(['config', ...args]),
    configWith: (input: string, ...args: string[]) => home.run(['config', ...args], { input }),
    read: () => readFileSync(path, 'utf8'),
  };
}

describe('config get', () => {
  const FILE = `{ session: { mainKey: 'home' }, models: { providers: {
    a: { apiKey: '${SECRET}', headers: { 'X-Key': '${SECRET}' } }, b: { apiKey: '\${KEY_B}' }, c: { apiKey: 'file:./key' },
  } } }`;

  it('prints one setting as text, as JSON, and all', async () => {
    const { config } = makeConfigHome(FILE);
    expect(await config('get', 'session.mainKey')).toEqual({ code: 0, stdout: 'home\n', stderr: '' });
    expect(await config('get', 'session.mainKey', '--json')).toMatchObject({ stdout: '"home"\n' });
    expect(JSON.parse((await config('get')).stdout)).toMatchObject({ session: { mainKey: 'home' } });
  });

  it('masks secrets, and shows the names of variables and files', async () => {
    const { config } = makeConfigHome(FILE);
    expect(JSON.parse((await config('get', 'models.providers')).stdout)).toEqual({
      a: { apiKey: '********', headers: { 'X-Key': '********' } },
      b: { apiKey: '${KEY_B}' },
      c: { apiKey: 'file:./key' },
    });
    expect((await config('get', 'models.providers.a.apiKey')).stdout).toBe('********\n');
    expect((await config('get', 'models.providers.a.apiKey', '--show-secrets')).stdout).toBe(`${SECRET}\n`);
  });

  it('masks passwords and tokens in addresses, wherever they are', async () => {
    const addresses = [
      ['https://u:p4ssw0rd@h/v1', 'https://********:********@h/v1'],
      ['https://u:p4/ss@w0rd@h/v1', 'https://********:********@h/v1'],
      ['https://ghp_token@h/v1', 'https://********@h/v1'],
      ['https://h/v1?token=abc123secret&v=2', 'https://h/v1?token=********&v=2'],
      [
        'https://h/?v=2&api-key=abc#access_token=abc',
        'https://h/?v=2&api-key=********#access_token=********',
      ],
      ['https://${USER}:${PASS}@h/?key=${KEY}', 'https://${USER}:${PASS}@h/?key=${KEY}'],
      ['http://127.0.0.1:8080/v1@latest?a=b', 'http://127.0.0.1:8080/v1@latest?a=b'],
    ];
    const { config } = makeConfigHome(JSON.stringify({ wizard: addresses.map(([given]) => given) }));
    expect(JSON.parse((await config('get', '--json')).stdout).wizard).toEqual(
      addresses.map(([, shown]) => shown),
    );
  });

  it('masks what looks like a secret, also where it is not known', async () => {
    const { config, stateDir } = makeConfigHome();
    writeFileSync(join(stateDir, 'openclaw.json'), `{ "gateway": { "auth": { "token": "${SECRET}" } } }`);
    expect((await config('get')).stdout).not.toContain(SECRET);
  });

  it.each([
    ['session.dmScope', 'session.dmScope is not set in FILE\n  Its default holds: "main"'],
    [
      'session.reset',
      'session.reset is not set in FILE\n  To set it: openbot config set session.reset <value>',
    ],
    ['session.dmscope', 'session.dmscope is not a setting\n  Did you mean session.dmScope?'],
    ['session.mainKey.x', 'session.mainKey.x is not a setting\n  session.mainKey has no settings below it'],
    ['tools.zzzzzz', 'tools.zzzzzz is not a setting\n  tools has exec, sessions'],
  ])('%s', async (path, said) => {
    const { config, path: file } = makeConfigHome(FILE);
    const { code, stderr } = await config('get', path);
    const wrongUse = said.includes('is not a setting');
    expect([code, stderr.replaceAll(file, 'FILE')]).toEqual([wrongUse ? 2 : 1, `Error: ${said}\n`]);
  });
});

describe('config set', () => {
  it('keeps comments, and makes a private file where there is none', async () => {
    const { config, path, read } = makeConfigHome('{ // mine\n  session: {},\n}\n');
    expect(await config('set', 'session.dmScope', 'per-peer')).toEqual({
      code: 0,
      stdout: `session.dmScope is set in ${path}.\n`,
      stderr: '',
    });
    expect(read()).toBe("{ // mine\n  session: {\n    dmScope: 'per-peer'\n  },\n}\n");
    const other = makeConfigHome();
    await other.config('set', 'session.mainKey', 'home');
    expect(statSync(other.path).mode & 0o777).toBe(0o600);
  });

  it.each<[path: string, word: string, value: unknown]>([
    ['messages.queue.cap', '42', 42],
    ['session.mainKey', '42', '42'],
    ['agents.defaults.skills', "['a', 'b']", ['a', 'b']],
    ['agents.defaults.model', "{ primary: 'script/echo' }", { primary: 'script/echo' }],
    ['agents.defaults.systemPrompt', 'Be { brief', 'Be { brief'],
    ['messages.responsePrefix', 'null', 'null'],
    ['index.enabled', 'false', false],
    ['channels.telegram.botToken', '12345', '12345'],
  ])('%s %s', async (path, word, value) => {
    const { config, read } = makeConfigHome();
    expect((await config('set', path, word)).code).toBe(0);
    expect(path.split('.').reduce((at, name) => at[name], JSON.parse(read()))).toEqual(value);
  });

  it('what would make the file invalid is refused, and nothing is written', async () => {
    const { config, path } = makeConfigHome();
    const { code, stderr } = await config('set', 'session.dmScope', 'everyone');
    expect([code, stderr]).toEqual([2, expect.stringContaining('session.dmScope must be one of main')]);
    expect(existsSync(path)).toBe(false);
  });

  it('a secret on the command line is said to be in the history; one from standard input is not', async () => {
    const { config, configWith, read } = makeConfigHome();
    const typed = await config('set', 'models.providers.a.apiKey', SECRET);
    expect(typed.stderr).toContain('in the history of your shell');
    expect(typed.stderr + typed.stdout).not.toContain(SECRET);
    expect((await configWith('other\n', 'set', 'models.providers.a.apiKey', '-')).stderr).toBe('');
    expect(JSON.parse(read()).models.providers.a.apiKey).toBe('other');
    expect((await config('set', 'models.providers.a.apiKey', 'file:./key')).stderr).toContain('not there');
  });

  it('where OpenClaw has its file, no file takes its place by the way', async () => {
    const { config, path, stateDir } = makeConfigHome();
    writeFileSync(join(stateDir, 'openclaw.json'), '{}');
    const { code, stderr } = await config('set', 'session.mainKey', 'home');
    expect([code, stderr]).toEqual([2, expect.stringContaining('openbot init --from-openclaw')]);
    expect(existsSync(path)).toBe(false);
  });

  it('asks for what is missing', async () => {
    const { config } = makeConfigHome();
    expect((await config('set')).stderr).toContain('There is no setting');
    expect((await config('set', 'session.mainKey')).stderr).toContain(
      'There is no value for session.mainKey',
    );
  });
});

test('config unset removes a setting, also one that is not known', async () => {
  const { config, read } = makeConfigHome('{ session: { mainKey: "a", other: 1 } } // x');
  expect((await config('unset', 'session.other')).code).toBe(0);
  expect((await config('unset', 'session.mainKey')).code).toBe(0);
  expect((await config('unset', 'session.mainKey')).stdout).toContain('session.mainKey is not set in');
  expect(read()).toBe('{ } // x');
});

test('config path says where the file is, and what is used', async () => {
  const { config, path, stateDir } = makeConfigHome();
  expect(await config('path')).toEqual({
    code: 0,
    stdout: `${path}\n`,
    stderr: 'It does not exist yet: the defaults hold.\n',
  });
  writeFileSync(join(stateDir, 'openclaw.json'), '{}');
  expect((await config('path')).stderr).toContain(`${join(stateDir, 'openclaw.json')} is used in its place`);
});

describe('config validate', () => {
  it('says all faults, each with its place', async () => {
    const { config, stateDir } = makeConfigHome(
      `{\n  $include: './more.json5',\n  session: { dmScope: 'x', scop: 1 },\n  agents: { list: [{ id: 'a', model: 3 }] },\n}`,
    );
    writeFileSync(join(stateDir, 'more.json5'), '{\n  messages: { queue: { cap: 0 } } }');
    const { code, stdout, stderr } = await config('validate');
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.replaceAll(stateDir, '').split('\n').slice(0, 4)).toEqual([
      '/openbot.json:3:14: session.dmScope must be one of main, per-peer, per-channel-peer, per-account-channel-peer',
      '/openbot.json:3:28: session.scop is not a setting. Did you mean scope?',
      '/openbot.json:4:31: agents.list[0].model must be text such as provider/model, or an object with primary and fallbacks',
      '/more.json5:2:24: messages.queue.cap must be a whole number, 1 or more',
    ]);
  });

  it('prints the faults with --json as a result, also of a file that is torn', async () => {
    const { config, path } = makeConfigHome('{ session: { dmScope: 1 } }');
    const check = async (faults: object[]) => {
      const { code, stdout, stderr } = await config('validate', '--json');
      const printed = JSON.parse(stdout);
      const shapes = await listVisible(OPENBOT).find(({ name }) => name === 'config validate')!.results!();
      expect([code, stderr, listMisfits(Object.values(shapes)[0]!, printed)]).toEqual([1, '', []]);
      expect(printed).toMatchObject({ path, valid: false, faults });
    };
    await check([{ file: path, line: 1, setting: 'session.dmScope' }]);
    writeFileSync(path, '{ torn');
    await check([{ message: expect.stringContaining(path) }]);
  });

  it('a valid file, none, and one of OpenClaw', async () => {
    const { config, path, stateDir } = makeConfigHome();
    expect((await config('validate')).stdout).toBe(`There is no ${path}: the defaults hold.\n`);
    writeFileSync(join(stateDir, 'openclaw.json'), '{ gateway: {} }');
    expect((await config('validate')).stdout).toBe(`${join(stateDir, 'openclaw.json')} is valid.\n`);
    writeFileSync(path, '{ meta: {} }');
    expect(await config('validate')).toEqual({
      code: 0,
      stdout: `${path} is valid.\n`,
      stderr: 'Note: meta has no effect\n',
    });
  });

  it('a file with a secret that others can read is said, a missing one is a fault', async () => {
    const { config, stateDir } = makeConfigHome("{ models: { providers: { a: { apiKey: 'file:./key' } } } }");
    const key = join(stateDir, 'key');
    expect((await config('validate')).stdout).toContain(
      `models.providers.a.apiKey names a file that is not there: ${key}`,
    );
    writeFileSync(key, `${SECRET}\n`);
    chmodSync(key, 0o644);
    const { code, stderr } = await config('validate');
    expect([code, stderr]).toEqual([0, expect.stringContaining(`chmod 600 ${key}`)]);
    expect(stderr).not.toContain(SECRET);
    chmodSync(key, 0o600);
    expect((await config('validate')).stderr).toBe('');
  });
});

test.each([
  ['config get', ['config', 'get']],
  ['config set', ['config', 'set', 'session.mainKey', 'home']],
  ['config unset', ['config', 'unset', 'session.mainKey']],
  ['config validate', ['config', 'validate']],
])('%s --json prints what is documented', async (name, args) => {
  const { json } = makeConfigHome('{}');
  const results = await listVisible(OPENBOT).find((command) => command.name === name)!.results!();
  const [shape] = Object.values(results);
  expect(listMisfits(shape!, await json(...args))).toEqual([]);
});

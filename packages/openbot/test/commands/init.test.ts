import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { listMisfits } from '@openbot/sessions/command-line';
import { describe, expect, it } from 'vitest';
import { INIT } from '../../src/commands/init/result-shapes.ts';
import { KEY, startAnthropicKind, startOpenaiKind } from '../runners/pi/scripted-provider.ts';
import { makeOpenbotPlace, type OpenbotPlace } from '../setup/openbot-process.ts';
import { makeHome } from '../setup/run-openbot.ts';
import { noTerminal } from '../setup/terminal-command.ts';

const SCRIPT = { turns: [{ steps: [{ text: 'I am here.' }] }] };
const configOf = ({ stateDir }: OpenbotPlace) => readFileSync(join(stateDir, 'openbot.json'), 'utf8');
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('openbot init without a terminal', () => {
  it('makes configuration and workspace, tests the model, and sends a first message', async () => {
    const provider = await startOpenaiKind(SCRIPT);
    const place = makeOpenbotPlace({ OWN_KEY: KEY });
    const flags = ['--base-url', provider.settings.baseUrl!, '--model', 'm', '--key-env', 'OWN_KEY'];
    const ran = await place.run([
      'init',
      ...flags,
      '--name',
      'Ada',
      '--workspace',
      '~/ada',
      '-m',
      'hi there',
    ]);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(
      /^local\/m answered in .*: I am here\.\nMade .*openbot\.json\nMade .*\/ada: AGENTS\.md, IDENTITY\.md, USER\.md\nI am here\.\n\nTo go on/,
    );
    expect(JSON.stringify(provider.conversations.at(-1))).toMatch(/Name: Ada.*hi there/s);
    expect(provider.faults).toEqual([]);
    expect(modeOf(join(place.stateDir, 'openbot.json'))).toBe(0o600);
    expect(modeOf(place.stateDir)).toBe(0o700);
    expect(configOf(place)).toContain(`apiKey: '\${OWN_KEY}'`);
    expect(configOf(place)).toMatch(/\/\/ .*openbot agents add/);
    expect(configOf(place)).not.toContain(KEY);
    // The comments and the settings are such as the reader takes.
    expect((await place.run(['agents', 'list'])).stdout).toMatch(/main +yes +Ada +local\/m +1 .*\/ada\n/);
  });

  it('takes the key of a known provider from a file, and prints JSON', async () => {
    const provider = await startAnthropicKind(SCRIPT);
    const place = makeOpenbotPlace();
    const keyFile = join(place.folder, 'key');
    writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 });
    const made = await place.json<{ test: { isAnswered: boolean } }>(
      ...['init', '--model', 'anthropic/claude-sonnet-4-5', '--base-url', provider.settings.baseUrl!],
      ...['--key-file', keyFile],
    );
    expect(listMisfits(INIT, made)).toEqual([]);
    expect(made).toMatchObject({
      model: 'anthropic/claude-sonnet-4-5',
      test: { isAnswered: true, text: 'I am here.' },
    });
    expect(configOf(place)).toContain(`apiKey: 'file:${keyFile}'`);
    expect((await place.run(['models', 'test'])).code).toBe(0);
  });

  it('refuses what is missing or wrong by the name of the flag, and makes nothing', async () => {
    const home = makeHome();
    const refused: [string[], RegExp][] = [
      [['--yes'], /--provider is missing/],
      [['--provider', 'opnai', '--yes'], /There is no provider opnai\n {2}Did you mean openai\?/],
      [['--provider', 'openai'], /--model is missing/],
      [
        ['--provider', 'openai', '--model', 'gpt-5.1'],
        /no key for openai\n.*--key-env.*--key-file.*OPENAI_API_KEY/,
      ],
      [['--provider', 'openai', '--model', 'gpt-5.1', '--key-env', 'sk-live-secret'], /name of a variable/],
      [
        ['--provider', 'openai', '--model', 'gpt-5.1', '--key-env', 'NOT_SET'],
        /NOT_SET of --key-env is not set/,
      ],
      [['--provider', 'local', '--model', 'x', '--base-url', 'localhost:1'], /--base-url http/],
      [['--provider', 'script', '--dry-run'], /--dry-run needs --from-openclaw/],
      [['somewhere'], /A path belongs to --from-openclaw/],
    ];
    for (const [args, why] of refused) {
      const { code, stderr } = await home.run(['init', ...args]);
      expect(stderr).toMatch(why);
      expect(stderr).not.toContain('sk-live-secret');
      expect(code).not.toBe(0);
    }
    expect(existsSync(home.stateDir)).toBe(false);
  });

  it('writes nothing where the model does not answer, unless no test is wanted', async () => {
    const place = makeOpenbotPlace();
    const flags = ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'local/m'];
    const failed = await place.run(['init', ...flags]);
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/did not answer.*\n.*--no-test/),
    });
    expect(existsSync(place.stateDir)).toBe(false);
    const made = await place.run(['init', ...flags, '--no-test']);
    expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('openbot agent -m') });
    expect(readdirSync(place.stateDir).sort()).toEqual(['openbot.json', 'secrets', 'workspace']);
  });

  it('changes nothing where there is a configuration, and says what there is', async () => {
    const place = makeOpenbotPlace();
    mkdirSync(join(place.stateDir, 'workspace'), { recursive: true });
    const text = "// mine\n{ agents: { list: [{ id: 'ops', name: 'Ops' }] } }\n";
    writeFileSync(join(place.stateDir, 'openbot.json'), text);
    const again = await place.run(['init', '--yes']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toMatch(/exists\.\n {2}agent ops \(Ops\): script\/echo, .*\n.*openbot config set/);
    const flagged = await place.run(['init', '--provider', 'script']);
    expect(flagged).toMatchObject({ code: 1, stderr: expect.stringContaining('--provider was not taken') });
    expect(configOf(place)).toBe(text);
    expect(readdirSync(place.stateDir).sort()).toEqual(['openbot.json', 'workspace']);
    renameSync(join(place.stateDir, 'openbot.json'), join(place.stateDir, 'openclaw.json'));
    const foreign = await place.run(['init', '--provider', 'script']);
    expect(foreign).toMatchObject({ stderr: expect.stringContaining('--from-openclaw') });
    expect(existsSync(join(place.stateDir, 'openbot.json'))).toBe(false);
  });
});

describe.skipIf(noTerminal)(`openbot init in a terminal${noTerminal ? `: ${noTerminal}` : ''}`, () => {
  it('asks with choices and defaults, hides the key, and lets it be corrected', async () => {
    const provider = await startAnthropicKind(SCRIPT);
    const place = makeOpenbotPlace();
    const flags = ['--provider', 'anthropic', '--model', 'claude-sonnet-4-5'];
    const command = place.inTerminal(['init', ...flags, '--base-url', provider.settings.baseUrl!]);
    const type = (text: string) => command.child.stdin!.write(text);
    await command.shows(/Key of anthropic \(it is not shown\): /);
    type('wrong-key-typed\r');
    await command.shows(/Name of the agent \[Ada\]: /);
    type('Bob\r');
    await command.shows(/Folder of the agent \[.*workspace\]: /);
    type('\r');
    await command.shows(/did not answer:[\s\S]*What now\?[\s\S]*Another key/);
    expect(existsSync(place.stateDir)).toBe(false);
    type('\r');
    await command.shows(/Key of anthropic[\s\S]*Key of anthropic \(it is not shown\): /);
    type(`${KEY}\r`);
    await command.shows(/answered in .*I am here\.[\s\S]*First message \[Hello!.*\]: /);
    type('good day\r');
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/First message[\s\S]*I am here\.[\s\S]*To go on/);
    expect(stdout).not.toMatch(/wrong-key-typed|key-of-the-imitation/);
    const keyFile = join(place.stateDir, 'secrets/anthropic-key');
    expect(readFileSync(keyFile, 'utf8')).toBe(`${KEY}\n`);
    expect(modeOf(keyFile)).toBe(0o600);
    expect(configOf(place)).toContain("apiKey: 'file:./secrets/anthropic-key'");
    // That of the gateway is made beside it: 256 bits.
    const tokenFile = join(place.stateDir, 'secrets/gateway-token');
    expect(readFileSync(tokenFile, 'utf8')).toMatch(/^[\w-]{43}\n$/);
    expect(modeOf(tokenFile)).toBe(0o600);
    expect(configOf(place)).toContain("token: 'file:./secrets/gateway-token'");
    expect(configOf(place)).not.toContain(KEY);
    expect(JSON.stringify(provider.conversations.at(-1))).toContain('good day');
  });

  it('offers models by a list; Ctrl-C makes nothing; a second time it changes one thing', async () => {
    const place = makeOpenbotPlace();
    const left = place.inTerminal(['init']);
    await left.shows(/Which model\?[\s\S]*Claude[\s\S]*A provider[\s\S]*A server of mine[\s\S]*None yet/);
    left.child.stdin!.write('offline\r');
    await left.shows(/Name of the agent/);
    left.child.stdin!.write('\u0003');
    expect(await left.ended).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('Nothing was changed'),
    });
    expect(existsSync(place.stateDir)).toBe(false);

    expect((await place.run(['init', '--provider', 'script', '--name', 'Ada', '--no-test'])).code).toBe(0);
    const again = place.inTerminal(['init']);
    await again.shows(/exists\.[\s\S]*What should change\?/);
    again.child.stdin!.write('name\r');
    await again.shows(/Name \[Ada\]: /);
    again.child.stdin!.write('Bob\r');
    const { code, stdout } = await again.ended;
    expect(stdout).toMatch(/Changed\S* .*openbot\.json/);
    expect(code).toBe(0);
    expect(configOf(place)).toMatch(/\/\/ The configuration[\s\S]*name: 'Bob'/);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings, type SettingsSources } from '../../src/config/settings.ts';

let cwd: string;
const home = process.env.HOME!;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'occ-settings-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  rmSync(join(home, '.occrc'), { force: true });
});

function write(path: string, content: unknown): void {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const load = (sources: Partial<SettingsSources> = {}) => loadSettings({ env: {}, cwd, ...sources });

async function refuse(
  sources?: Partial<SettingsSources>,
): Promise<{ message: string; hint: string | undefined }> {
  const error = await load(sources).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(OpenBotError);
  const { code, message, hint } = error as OpenBotError;
  expect(code).toBe('CONFIG_INVALID');
  return { message, hint };
}

it('keepOriginal counts only from the home folder, --config and the environment', async () => {
  write('occ.config.json', { keepOriginal: false, outputFormat: 'json' });
  write('package.json', { occ: { keepOriginal: false } });
  expect(await load()).toMatchObject({ keepOriginal: true, outputFormat: 'json' });
  write('.occrc', 'keepOriginal=false\n');
  expect((await load()).keepOriginal).toBe(true);
  expect((await load({ flags: { config: 'occ.config.json' } })).keepOriginal).toBe(false);
  expect((await load({ env: { OCC_KEEP_ORIGINAL: '0' } })).keepOriginal).toBe(false);
  writeFileSync(join(home, '.occrc'), 'keepOriginal=false\n');
  expect((await load()).keepOriginal).toBe(false);
  expect((await load({ cwd: home })).keepOriginal).toBe(false);
});

it('without any configuration there are defaults', async () => {
  expect(await load()).toEqual({
    stateDirectory: undefined,
    defaultAgentId: undefined,
    defaultPreset: 'default',
    customPresets: {},
    outputFormat: 'human',
    verboseOutput: false,
    keepOriginal: true,
  });
});

describe('places', () => {
  it.each([
    ['occ.config.json', '{"defaultPreset":"extreme"}'],
    ['occ.config.jsonc', '{"defaultPreset":"extreme", /* so */}'],
    ['occ.config.json5', "{defaultPreset:'extreme'}"],
    ['occ.config.yaml', 'defaultPreset: extreme\n'],
    ['occ.config.yml', 'defaultPreset: extreme\n'],
    ['occ.config.toml', 'defaultPreset = "extreme"\n'],
    ['.config/occ.json', '{"defaultPreset":"extreme"}'],
    ['.config/occ.config.yaml', 'defaultPreset: extreme\n'],
    ['.occrc', '# mine\ndefaultPreset=extreme\n'],
    ['package.json', '{"name":"x","occ":{"defaultPreset":"extreme"}}'],
  ])('%s', async (path, content) => {
    write(path, content);
    expect(await load()).toMatchObject({ defaultPreset: 'extreme' });
  });

  it('the package.json of a folder above', async () => {
    write('package.json', { occ: { defaultPreset: 'extreme' } });
    mkdirSync(join(cwd, 'a/b'), { recursive: true });
    expect(await load({ cwd: join(cwd, 'a/b') })).toMatchObject({ defaultPreset: 'extreme' });
  });

  it('.occrc in the home folder', async () => {
    writeFileSync(join(home, '.occrc'), 'defaultPreset=extreme');
    expect(await load()).toMatchObject({ defaultPreset: 'extreme' });
  });

  it('the nearer place wins, key by key', async () => {
    writeFileSync(join(home, '.occrc'), 'defaultPreset=aggressive\ndefaultAgentId=home\nverboseOutput=true');
    write('package.json', { occ: { outputFormat: 'json', defaultAgentId: 'package' } });
    write('.occrc', 'defaultAgentId=here');
    write('occ.config.json', { defaultPreset: 'extreme' });
    expect(await load()).toMatchObject({
      defaultPreset: 'extreme',
      defaultAgentId: 'here',
      verboseOutput: true,
      outputFormat: 'json',
    });
  });

  it('presets of all places are there', async () => {
    write('.occrc', 'customPresets.a.keepTurnsWithTools=1\ncustomPresets.a.truncatePercent=0');
    write('occ.config.json', { customPresets: { b: { keepTurnsWithTools: 2, truncatePercent: 12.5 } } });
    expect((await load()).customPresets).toEqual({
      a: { name: 'a', keepTurnsWithTools: 1, truncatePercent: 0 },
      b: { name: 'b', keepTurnsWithTools: 2, truncatePercent: 12.5 },
    });
  });

  it.each(['extends', '$test', '$env', '$production'])(
    'nothing is fetched, extended or chosen by NODE_ENV: %s',
    async (key) => {
      write('occ.config.json', { [key]: { defaultPreset: 'x' } });
      expect((await refuse()).message).toBe(`occ.config.json: ${key} is not a setting`);
    },
  );
});

describe('a relative state folder counts from', () => {
  it.each([
    ['occ.config.json', { stateDirectory: 'state' }],
    ['.config/occ.json', { stateDirectory: 'state' }],
    ['.occrc', 'stateDirectory=state'],
    ['package.json', { occ: { stateDirectory: 'state' } }],
  ])('the folder of %s', async (path, content) => {
    write(path, content);
    expect((await load()).stateDirectory).toBe(join(cwd, 'state'));
  });

  it('the home folder in the .occrc there', async () => {
    writeFileSync(join(home, '.occrc'), 'stateDirectory=state');
    expect((await load()).stateDirectory).toBe(join(home, 'state'));
  });

  it('the folder of a package.json above', async () => {
    write('package.json', { occ: { stateDirectory: './state' } });
    mkdirSync(join(cwd, 'a'));
    expect((await load({ cwd: join(cwd, 'a') })).stateDirectory).toBe(join(cwd, 'state'));
  });

  it.each(['/abs/state', '~/state', '~'])('nowhere when it is %s', async (stateDirectory) => {
    write('occ.config.json', { stateDirectory });
    expect((await load()).stateDirectory).toBe(stateDirectory);
  });
});

describe('faults name the file and the key', () => {
  it.each([
    [
      { customPresets: { mine: { keepTurnsWithTools: -1, truncatePercent: 0 } } },
      'customPresets.mine.keepTurnsWithTools must be a whole number of at least 0',
    ],
    [
      { customPresets: { mine: { keepTurnsWithTools: 1.5, truncatePercent: 0 } } },
      'customPresets.mine.keepTurnsWithTools must be a whole number of at least 0',
    ],
    [
      { customPresets: { mine: { keepTurnsWithTools: '5', truncatePercent: 0 } } },
      'customPresets.mine.keepTurnsWithTools must be a whole number of at least 0',
    ],
    [
      { customPresets: { mine: { keepTurnsWithTools: 5, truncatePercent: 101 } } },
      'customPresets.mine.truncatePercent must be a number from 0 to 100',
    ],
    [
      { customPresets: { mine: { keepTurnsWithTools: 5 } } },
      'customPresets.mine.truncatePercent must be a number from 0 to 100',
    ],
    [
      { customPresets: { mine: 5 } },
      'customPresets.mine must be an object with keepTurnsWithTools and truncatePercent',
    ],
    [
      { customPresets: { mine: { name: 'other', keepTurnsWithTools: 5, truncatePercent: 1 } } },
      "customPresets.mine.name must be 'mine', or be left out",
    ],
    [
      { customPresets: { ' ': { keepTurnsWithTools: 5, truncatePercent: 1 } } },
      'customPresets.  is a preset without a name',
    ],
    [{ customPresets: [] }, 'customPresets must be an object of presets by name'],
    [{ outputFormat: 'xml' }, "outputFormat must be 'human' or 'json'"],
    [{ verboseOutput: 'yes' }, 'verboseOutput must be true or false'],
    [{ stateDirectory: '' }, 'stateDirectory must not be empty'],
    [{ defaultAgentId: 5 }, 'defaultAgentId must be text'],
  ])('%j', async (config, message) => {
    write('occ.config.json', config);
    expect((await refuse()).message).toBe(`occ.config.json: ${message}`);
  });

  it('unknown keys, with the nearest known one', async () => {
    write('occ.config.yaml', 'stateDir: /x\n');
    expect(await refuse()).toEqual({
      message: 'occ.config.yaml: stateDir is not a setting',
      hint: 'Did you mean stateDirectory?',
    });
  });

  it('unknown keys of a preset', async () => {
    write('occ.config.json', {
      customPresets: { mine: { keepTurnsWithTools: 1, truncatePercent: 2, keepTurns: 3 } },
    });
    expect(await refuse()).toEqual({
      message: 'occ.config.json: customPresets.mine.keepTurns is not a setting',
      hint: 'Did you mean keepTurnsWithTools?',
    });
  });

  it('the known keys where none is near', async () => {
    write('package.json', { occ: { colour: true } });
    expect(await refuse()).toEqual({
      message: 'package.json: occ.colour is not a setting',
      hint: 'Settings: stateDirectory, defaultAgentId, defaultPreset, customPresets, outputFormat, verboseOutput, keepOriginal',
    });
  });

  it('all of them at once', async () => {
    write('occ.config.json', { outputFormat: 1, verboseOutput: 2 });
    expect((await refuse()).message.split('\n')).toEqual([
      "occ.config.json: outputFormat must be 'human' or 'json'",
      'occ.config.json: verboseOutput must be true or false',
    ]);
  });

  it('of several run control files, the one that has the key', async () => {
    writeFileSync(join(home, '.occrc'), 'outputFormat=xml');
    write('.occrc', 'defaultPreset=extreme');
    expect((await refuse()).message).toBe(`${join(home, '.occrc')}: outputFormat must be 'human' or 'json'`);
  });

  it('a schema may be named', async () => {
    write('occ.config.json', { $schema: 'https://example.org/schema.json', defaultPreset: 'extreme' });
    expect(await load()).toMatchObject({ defaultPreset: 'extreme' });
  });

  it.each([
    ['occ.config.json', '{"a":1,}', /^occ\.config\.json: .*JSON/],
    ['occ.config.json', '', /^occ\.config\.json: Unexpected end of JSON input$/],
    ['occ.config.json', '"text"', 'occ.config.json must be an object'],
    ['occ.config.json', 'null', 'occ.config.json must be an object'],
    ['occ.config.json', '[1]', 'occ.config.json must be an object'],
    ['occ.config.yaml', '', 'occ.config.yaml must be an object'],
    ['occ.config.yaml', 'a: [b', /^occ\.config\.yaml: unexpected end/],
    ['package.json', '{"occ":"text"}', 'package.json: occ must be an object'],
    ['.occrc', '{"defaultPreset":"extreme"}', '.occrc: line 1 is not of the form key=value'],
    ['.occrc', 'defaultPreset=extreme\n\n  ; so\nverbose', '.occrc: line 4 is not of the form key=value'],
  ])('%s with %j', async (path, content, message) => {
    write(path, content);
    expect((await refuse()).message).toMatch(message);
  });

  it('a broken package.json, which may not be for us, is skipped', async () => {
    write('package.json', '{"occ":');
    expect(await load()).toMatchObject({ defaultPreset: 'default' });
  });

  it('a torn file with comments is not taken for what can be made of it', async () => {
    write('occ.config.jsonc', '{\n"defaultPreset": "extreme",\n"keepOriginal": fal');
    expect((await refuse()).message).toBe('occ.config.jsonc: not valid JSON at line 3, column 17');
  });

  it.each(['occ.config.json', '.occrc'])('a pipe with the name of %s', async (name) => {
    execFileSync('mkfifo', [join(cwd, name)]);
    expect((await refuse()).message).toBe(`${name}: it is not a regular file`);
  });

  it('a pipe with the name package.json is skipped', async () => {
    execFileSync('mkfifo', [join(cwd, 'package.json')]);
    expect(await load()).toMatchObject({ defaultPreset: 'default' });
  });

  it.each([
    ['occ.config.json', '{"customPresets":{"__proto__":{"keepTurnsWithTools":"x"}}}'],
    ['occ.config.yaml', 'customPresets: {__proto__: {keepTurnsWithTools: x}}'],
    ['.occrc', 'customPresets.__proto__.keepTurnsWithTools=x'],
  ])('a preset that checks would pass over: %s', async (name, text) => {
    write(name, text);
    expect((await refuse()).message).toBe(
      `${name}: customPresets.__proto__ is not a valid name for a preset`,
    );
  });

  it('a directory with the name of the file', async () => {
    mkdirSync(join(cwd, '.occrc'));
    expect((await refuse()).message).toMatch(/^\.occrc: /);
  });
});

describe('a default preset that does not exist', () => {
  it.each([
    ['occ.config.json', '{"defaultPreset":"none-such"}', 'occ.config.json: defaultPreset'],
    ['.occrc', 'defaultPreset=none-such', '.occrc: defaultPreset'],
    ['package.json', '{"occ":{"defaultPreset":"none-such"}}', 'package.json: occ.defaultPreset'],
  ])('is refused by file and key: %s', async (path, content, where) => {
    write(path, content);
    expect(await refuse()).toEqual({
      message: `${where} names an unknown preset: 'none-such'`,
      hint: 'Known presets: default, aggressive, extreme',
    });
  });

  it('is not one that another place defines', async () => {
    write('.occrc', 'customPresets.weekly.keepTurnsWithTools=1\ncustomPresets.weekly.truncatePercent=0');
    write('occ.config.json', { defaultPreset: 'weekly' });
    expect(await load()).toMatchObject({ defaultPreset: 'weekly' });
  });
});

describe('the environment', () => {
  it('wins over files', async () => {
    write('occ.config.json', { defaultPreset: 'extreme', outputFormat: 'human', verboseOutput: true });
    const env = {
      OCC_DEFAULT_PRESET: 'aggressive',
      OCC_DEFAULT_AGENT_ID: 'work',
      OCC_OUTPUT_FORMAT: 'json',
      OCC_VERBOSE_OUTPUT: '0',
    };
    expect(await load({ env })).toMatchObject({
      defaultPreset: 'aggressive',
      defaultAgentId: 'work',
      outputFormat: 'json',
      verboseOutput: false,
    });
  });

  it('an empty variable says nothing', async () => {
    write('occ.config.json', { defaultPreset: 'extreme' });
    expect(await load({ env: { OCC_DEFAULT_PRESET: '', OCC_OUTPUT_FORMAT: ' ' } })).toMatchObject({
      defaultPreset: 'extreme',
      outputFormat: 'human',
    });
  });

  it.each([
    ['OCC_OUTPUT_FORMAT', 'xml', "OCC_OUTPUT_FORMAT must be one of human, json, not 'xml'"],
    ['OCC_VERBOSE_OUTPUT', 'perhaps', "OCC_VERBOSE_OUTPUT must be one of true, false, 1, 0, not 'perhaps'"],
    ['OCC_OUTPUT_FORMAT', 'constructor', /must be one of human, json/],
  ])('%s=%s is refused', async (name, value, message) => {
    const refused = await refuse({ env: { [name]: value } });
    expect(refused.message).toMatch(message);
    expect(refused.hint).toBe(`Correct the variable, or remove it: unset ${name}`);
  });

  it('a default preset that does not exist is refused by the name of its variable', async () => {
    write('occ.config.json', { customPresets: { weekly: { keepTurnsWithTools: 2, truncatePercent: 0 } } });
    expect(await refuse({ env: { OCC_DEFAULT_PRESET: 'weekyl' } })).toEqual({
      message: "OCC_DEFAULT_PRESET names an unknown preset: 'weekyl'",
      hint: 'Did you mean weekly?',
    });
    expect(await load({ env: { OCC_DEFAULT_PRESET: 'weekly' } })).toMatchObject({ defaultPreset: 'weekly' });
  });

  it('flags win over it', async () => {
    const env = { OCC_OUTPUT_FORMAT: 'json', OCC_VERBOSE_OUTPUT: 'true' };
    expect(await load({ env, flags: { json: false, verbose: false } })).toMatchObject({
      outputFormat: 'human',
      verboseOutput: false,
    });
  });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of the file are what is tested
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSettingPath } from '../../src/config/setting-path.ts';
import { editConfigFile } from '../../src/config-editing/edit-config-file.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

function makeFile(text?: string, others: Record<string, string> = {}) {
  const folder = makeTempFolder();
  const path = join(folder, 'openbot.json');
  if (text !== undefined) writeFileSync(path, text);
  for (const [name, content] of Object.entries(others)) writeFileSync(join(folder, name), content);
  return {
    folder,
    path,
    read: () => readFileSync(path, 'utf8'),
    set: (at: string, value: unknown) =>
      editConfigFile(path, [{ at: parseSettingPath(at), value }], { env: {} }),
    unset: (at: string) => editConfigFile(path, [{ at: parseSettingPath(at) }], { env: {} }),
  };
}

describe('editing openbot.json', () => {
  it('makes a private file where there is none, and leaves nothing beside it', async () => {
    const { folder, path, read, set } = makeFile();
    await expect(set('agents.defaults.model', 'script/demo')).resolves.toEqual({
      changed: true,
      notices: [],
    });
    expect(read()).toBe('{\n  "agents": {\n    "defaults": {\n      "model": "script/demo"\n    }\n  }\n}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['openbot.json']);
  });

  it('what would make the file wrong is refused, and nothing is written', async () => {
    const text = '{ session: { dmScope: "main" } } // mine\n';
    const { read, set } = makeFile(text);
    await expect(set('session.dmScope', 'perpeer')).rejects.toMatchObject({
      code: 'USAGE',
      hint: 'Did you mean per-peer?',
    });
    await expect(set('sesion.dmScope', 'main')).rejects.toThrow(
      'sesion is not a setting. Did you mean session?',
    );
    await expect(set('bindings[0]', { agentId: 'nobody', match: { channel: 'telegram' } })).rejects.toThrow(
      'bindings[0].agentId must be one of the agents: main',
    );
    expect(read()).toBe(text);
  });

  it('without a file nothing is made by what is refused', async () => {
    const { path, set } = makeFile();
    await expect(set('session.scope', 1)).rejects.toMatchObject({ code: 'USAGE' });
    expect(existsSync(path)).toBe(false);
  });

  it('one of several faults can be corrected, and no other added', async () => {
    const { read, set } = makeFile('{ session: { dmScope: 1, scope: 2 } }');
    await set('session.dmScope', 'main');
    expect(read()).toBe("{ session: { dmScope: 'main', scope: 2 } }");
    await expect(set('session.mainKey', 3)).rejects.toThrow('session.mainKey must be text');
  });

  it('a fault elsewhere hides no other', async () => {
    const { set } = makeFile('{ agents: { list: [{ id: "a" }] }, session: { dmScope: 1 } }');
    await expect(set('agents.list[0].id', '../x')).rejects.toThrow('agents.list[0].id must be a plain name');
    await expect(set('bindings', [{ agentId: 'b', match: { channel: 'x' } }])).rejects.toThrow(
      'bindings[0].agentId must be one of the agents: a',
    );
  });

  it('a section goes with the last of its settings, and neither an agent nor a comment', async () => {
    const { read, unset } = makeFile(
      '{\n  session: { reset: { mode: "idle" } },\n  agents: { entries: { a: { model: "script/echo" } } },\n  messages: { /* mine */ responsePrefix: ">" },\n}\n',
    );
    await unset('session.reset.mode');
    await unset('agents.entries.a.model');
    await unset('messages.responsePrefix');
    expect(read()).toBe('{\n  agents: { entries: { a: { } } },\n  messages: { /* mine */ },\n}\n');
  });

  it('a variable that is not set here is written, and said', async () => {
    const { read, set } = makeFile();
    const { notices } = await set('models.providers.local', {
      baseUrl: 'http://127.0.0.1:1',
      apiKey: '${LOCAL_KEY}',
    });
    expect(notices).toEqual(['models.providers.local.apiKey names the variable LOCAL_KEY, which is not set']);
    expect(read()).toContain('"apiKey": "${LOCAL_KEY}"');
  });

  it('the file itself is changed, not what it includes', async () => {
    const { folder, path, read, set, unset } = makeFile('{ $include: "./more.json5" }', {
      'more.json5': '{ session: { mainKey: "home" } }',
    });
    const more = join(folder, 'more.json5');
    await expect(unset('session.mainKey')).resolves.toEqual({ changed: false, notices: [] });
    const { notices } = await set('session.mainKey', 'work');
    expect(notices).toEqual([`Set in ${path}, which wins over what it includes: ${more}`]);
    expect(read()).toBe('{ $include: "./more.json5", session: { mainKey: "work" } }');
    await expect(unset('session.mainKey')).resolves.toEqual({
      changed: true,
      notices: [`session.mainKey still has a value, from a file that ${path} includes: ${more}`],
    });
    expect(readFileSync(more, 'utf8')).toBe('{ session: { mainKey: "home" } }');
  });

  it('ten at once lose nothing', async () => {
    const { read, set } = makeFile('{}');
    const ids = Array.from({ length: 10 }, (_, index) => `telegram:${index}`);
    await Promise.all(ids.map((id, index) => set(`session.identityLinks.p${index}`, [id])));
    expect(Object.values(JSON.parse(read()).session.identityLinks).flat().sort()).toEqual(ids);
  });

  it('a file that is linked to is changed where it is', async () => {
    const elsewhere = makeFile('{ session: {} } // mine');
    const { path, set } = makeFile();
    symlinkSync(elsewhere.path, path);
    await set('session.mainKey', 'home');
    expect(elsewhere.read()).toContain('mainKey');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  it('a file that is no JSON5 stays as it is', async () => {
    const { read, set } = makeFile('{ session: ');
    await expect(set('session.mainKey', 'x')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(read()).toBe('{ session: ');
  });
});

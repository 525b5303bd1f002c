/** What the completion of a shell asks for. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OPENBOT } from '../../src/cli/main.ts';
import { type Home, makeHome } from '../setup/run-openbot.ts';

function writeStore(home: Home, agentId: string, entries: object): void {
  const folder = join(home.stateDir, 'agents', agentId, 'sessions');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'sessions.json'), JSON.stringify(entries));
}

async function ask(home: Home, ...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await home.run(['complete', ...words]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').slice(0, -1);
}

it('agents, sessions by key, label and id, and models', async () => {
  const home = makeHome();
  writeStore(home, 'main', {
    'agent:main:main': { sessionId: 'id-1', updatedAt: 1, label: 'daily' },
    'agent:main:x': { sessionId: 'id-2', updatedAt: 2, label: 'a\u001b[31mb' },
  });
  writeStore(home, 'ops', { 'agent:ops:main': { sessionId: 'id-3', updatedAt: 3 } });
  expect(await ask(home, 'agent', '--', 'agent')).toEqual(['main\t', 'ops\t']);
  const all = await ask(home, 'session', '--', 'agent', '--session-key');
  expect(all.map((line) => line.split('\t')[0])).toEqual([
    ...['agent:ops:main', 'agent:main:x', 'agent:main:main'],
    ...['daily', 'id-3', 'id-2', 'id-1'],
  ]);
  expect(await ask(home, 'session', '--', 'agent', '--agent', 'ops')).toEqual([
    expect.stringMatching(/^agent:ops:main\t./),
    'id-3\tagent:ops:main',
  ]);
  const model = { primary: 'acme/big', fallbacks: ['claude/opus'] };
  const providers = {
    acme: { baseUrl: 'http://127.0.0.1:1', api: 'openai-completions', models: [{ id: 'big' }] },
  };
  const agents = { defaults: { model, models: { 'acme/big': { alias: 'large' } } } };
  writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify({ agents, models: { providers } }));
  const names = (await ask(home, 'model', '--')).map((line) => line.split('\t')[0]);
  expect(names).toEqual(expect.arrayContaining(['acme/big', 'claude/opus', 'large', 'script/echo']));
});

it('settings: all that the schema names, and what the file names itself', async () => {
  const home = makeHome();
  mkdirSync(home.stateDir, { recursive: true });
  const providers = { acme: { baseUrl: 'http://127.0.0.1:1', api: 'openai-completions', models: [] } };
  writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify({ models: { providers } }));
  const paths = (await ask(home, 'setting', '--', 'config', 'get')).map((line) => line.split('\t')[0]);
  expect(paths).toEqual(
    expect.arrayContaining(['agents.defaults.model', 'session.dmScope', 'models.providers.acme.baseUrl']),
  );
  expect(new Set(paths).size).toBe(paths.length);
});

it('a word that names a session, an agent, a model or a setting is completed in every command', () => {
  const kinds = OPENBOT.commands.flatMap(({ name, positionals }) =>
    positionals.map((word) => [name, word.name, word.complete] as const),
  );
  const named = kinds.filter(([, word]) => ['session', 'agent', 'model'].includes(word));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, word, kind]) => kind !== word)).toEqual([]);
  expect(kinds).toContainEqual(['agents remove', 'id', 'agent']);
  const settings = kinds.filter(([name, word]) => name.startsWith('config ') && word === 'path');
  expect(settings.map(([name, , kind]) => [name, kind])).toEqual(
    ['config get', 'config set', 'config unset'].map((name) => [name, 'setting']),
  );
});

const ASK = {
  bash: (run: string) => `openbot() { ${run} "$@"; }
for line; do
  read -ra words <<< "$line"
  COMP_WORDS=(openbot "\${words[@]}") COMP_CWORD=\${#words[@]}
  _openbot_completion openbot
  echo "\${COMPREPLY[@]}"
done`,
  // It answers with a remark behind a tab.
  fish: (run: string) => `function openbot; ${run} $argv; end
for line in $argv
    complete -C "openbot $line" | string replace -r '\\t.*' ''
end`,
} as const;

it.for(['bash', 'fish'] as const)('%s offers sessions and channels', async (shell, { skip }) => {
  if (spawnSync(shell, ['-c', 'true']).status !== 0) skip(`${shell} is not installed`);
  const home = makeHome();
  const entry = { sessionId: 'id-1', updatedAt: 1, label: 'daily', lastChannel: 'telegram' };
  writeStore(home, 'main', { 'agent:main:main': entry });
  const { stdout: script } = await home.run(['completion', shell]);
  const bin = join(import.meta.dirname, '..', '..', 'bin', 'openbot.js');
  const file = join(home.folder, 'script');
  writeFileSync(file, `${script}${ASK[shell](`${process.execPath} ${bin}`)}`);
  const lines = ['sessions show d', 'history i', 'search x --channel t'];
  const { stdout, stderr } = spawnSync(shell, [file, ...lines], { env: home.env, encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['daily\nid-1\ntelegram\n', '']);
});

it('channels: those that are configured, and those that sessions were used on', async () => {
  const home = makeHome();
  writeStore(home, 'main', { 'agent:main:x': { sessionId: 'id-1', updatedAt: 1, lastChannel: 'slack' } });
  writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify({ channels: { telegram: {} } }));
  expect(await ask(home, 'channel', '--')).toEqual(['telegram\tConfigured', 'slack\t']);
});

it('what is broken is silent, and makes nothing', async () => {
  const home = makeHome();
  expect(await ask(home, 'session', '--', '--state-dir=/nowhere/at/all')).toEqual([]);
  expect(await ask(home, 'nonsense')).toEqual([]);
  mkdirSync(join(home.stateDir, 'agents', 'main', 'sessions'), { recursive: true });
  writeFileSync(join(home.stateDir, 'agents', 'main', 'sessions', 'sessions.json'), '{ torn');
  writeFileSync(join(home.stateDir, 'openbot.json'), '{ torn');
  expect(await ask(home, 'session', '--')).toEqual([]);
  expect(await ask(home, 'agent', '--')).toEqual(['main\t']);
});

/** What people type into a first prompt or a title is shown in many places, and a secret in none of them. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type RegisteredSession, updateRegistry } from '@openbot/claude-code';
import { expect, onTestFinished, test } from 'vitest';
import { COMMAND } from '../setup/command-file.ts';
import { writeSession } from '../setup/own-session.ts';
import { type Home, makeHome } from '../setup/run-openbot.ts';

const LETTERS = 'qwertyuiopasdfghjklzxcvbnmQWERTYUIOP';
const MIXED = 'qW3rT5yU7iO9pA1sD2fG4hJ6kL8zX0cVbN';
const HEX = '7c9e6679a0f3b2d18c4e5f6071829304a5b6c7d8';

/** Secrets as they are typed, in parts so that nothing here is taken for one, and the part that must be hidden. */
const SECRETS: Readonly<Record<string, readonly [prompt: string, hidden: string]>> = {
  'Anthropic, with digits': [`check ${hyphenate('sk-ant', 'api03', MIXED)} please`, MIXED],
  'Anthropic, letters alone': [`check ${hyphenate('sk-ant', 'api03', LETTERS)} please`, LETTERS],
  'OpenAI, letters alone': [`is ${hyphenate('sk', 'proj', LETTERS)} valid`, LETTERS],
  'GitHub, classic': [`clone with ghp${`_${MIXED}ab`}`, MIXED],
  'GitHub, fine-grained': [`clone with github${`_pat_11ABCDEFG0${MIXED}`}`, MIXED],
  Slack: [`post with ${hyphenate('xoxb', '123456789012', MIXED)}`, MIXED],
  'Amazon, both': [`AKIA${'IOSFODNN7EXAMPLE'} and wJalrXUtnFEMI${'/K7MDENG/bPxRfiCYEXAMPLEKEY'}`, 'UtnFEMI'],
  'Amazon, the secret': [`aws_secret_access_key = wJalrXUtnFEMI${'/K7MDENG/bPxRfiCYEXAMPLEKEY'}`, 'UtnFEMI'],
  Google: [`geocode by AIza${`SyA${MIXED.slice(0, 32)}`}`, MIXED.slice(4, 28)],
  'a JSON web token': [`decode eyJhbGciOiJIUzI1NiJ9${'.eyJzdWIiOiIxMjM0In0'}.${MIXED}`, MIXED.slice(0, 28)],
  'a private key': [`load -----BEGIN ${'PRIVATE'} KEY-----\n${LETTERS}\n-----END PRIVATE KEY-----`, LETTERS],
  'a password': ['log in with password=hunter2swordfish', 'hunter2swordfish'],
  'a password in a sentence': ['the password is hunter2swordfish', 'hunter2swordfish'],
  'a bearer': [`curl -H "Authorization: Bearer ${MIXED}"`, MIXED],
  'an address': ['migrate postgres://bob:swordfish@db.example.com/x', 'swordfish'],
  npm: [`publish with npm${`_${MIXED}ab`}`, MIXED],
  GitLab: [`push with ${hyphenate('glpat', MIXED.slice(0, 20))}`, MIXED.slice(0, 15)],
  'a bot of Telegram': [`start 123456789${`:AAH${MIXED}`}`, MIXED.slice(0, 28)],
  'a bot of Discord': [
    `start MTk4NjIyNDgzNDcxOTI1MjQ4${'.Cl2FMQ.'}${MIXED.slice(0, 27)}`,
    MIXED.slice(0, 22),
  ],
  Stripe: [`charge by sk${`_live_${LETTERS.slice(0, 24)}`}`, LETTERS.slice(0, 18)],
  'a token beside its name': [`use the token ${HEX} for CI`, HEX.slice(8)],
};

function hyphenate(...parts: string[]): string {
  return parts.join('-');
}

/** What looks like a secret and is none stays. */
const PLAIN = [
  'fix commit 4f3a2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
  'go on in 3d1219c7-c4c5-404a-aa1f-6d2a48adfda4',
  'the token counter of the password reset page',
];

const TASK = 'check, clone, post, migrate, publish, push, start, charge, use the token';
const IN_A_STATUS = 5;

/** Repositories with as many sessions as a status shows, each begun with one of the prompts by an agent. */
async function fill(home: Home): Promise<string[]> {
  const prompts = [...Object.values(SECRETS).map(([prompt]) => prompt), ...PLAIN];
  const repos: string[] = [];
  const registered: RegisteredSession[] = [];
  for (const [at, prompt] of prompts.entries()) {
    if (at % IN_A_STATUS === 0) repos.push(makeRepo(home, `repo${repos.length}`));
    const [repoPath, sessionId] = [repos.at(-1)!, idOf(at)];
    writeSession(home, repoPath, sessionId, `[openclaw:agent=main]\n\n${prompt}`, 'main', `about ${prompt}`);
    if (at % 2 === 1) continue;
    const startedAt = '2026-11-15T18:00:00.000Z';
    const label = `of ${prompt}`;
    registered.push({
      sessionId,
      agentId: 'main',
      repoPath,
      tasks: [prompt],
      label,
      turns: 1,
      totalCostUsd: 0,
      startedAt,
    });
  }
  await updateRegistry(home.stateDir, 'main', (sessions) => {
    for (const session of registered) sessions.set(session.sessionId, session);
  });
  return repos;
}

function makeRepo(home: Home, name: string): string {
  const repo = join(home.folder, name);
  mkdirSync(repo);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      env: home.env as NodeJS.ProcessEnv,
    });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', `deploy with password=hunter2swordfish`);
  return repo;
}

const idOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

/** The forms of which something is in a text. */
function leaksOf(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([form, [, hidden]]) => (text.includes(hidden) ? [form] : []));
}

test('no secret of a first prompt, a title, a task or a commit is shown or kept', async () => {
  const home = makeHome();
  const repos = await fill(home);
  const shown: Record<string, string> = {};
  const show = async (place: string, ...args: string[]) => {
    const { code, stdout, stderr } = await home.run(args);
    expect([place, code]).toEqual([place, 0]);
    shown[place] = (shown[place] ?? '') + stdout + stderr;
  };
  await show('list', 'cc', 'list', '--all');
  await show('list --json', 'cc', 'list', '--all', '--json');
  for (const repo of repos) {
    await show('status', 'cc', 'status', '--repo', repo);
    await show('status --json', 'cc', 'status', '--repo', repo, '--json');
    await show('select', 'cc', 'select', '--repo', repo, '--explain', '--words', TASK);
    await show('select --json', 'cc', 'select', '--repo', repo, '--json', '--words', TASK);
    shown.mcp = (shown.mcp ?? '') + (await askTools(home, repo));
  }
  shown.index = readAll(join(home.stateDir, 'cache', 'claude-sessions'));
  shown.registry = readAll(join(home.stateDir, 'claude-code'));
  const leaks = Object.fromEntries(Object.entries(shown).map(([place, text]) => [place, leaksOf(text)]));
  expect(leaks).toEqual(Object.fromEntries(Object.keys(shown).map((place) => [place, []])));
  // Each of them was there to be hidden, and nothing else is.
  for (const place of ['list --json', 'status --json', 'mcp', 'index']) {
    for (const prompt of PLAIN)
      expect([place, shown[place]]).toEqual([place, expect.stringContaining(prompt)]);
    for (const word of ['charge by', 'decode eyJhbG…', 'load -----BEGIN'])
      expect(shown[place]).toContain(word);
  }
});

test('what an older version kept of secrets goes with the next look at anything', async () => {
  const home = makeHome();
  const [repo] = await fill(home);
  const cache = join(home.stateDir, 'cache', 'claude-sessions');
  mkdirSync(cache, { recursive: true });
  const [, hidden] = SECRETS.npm!;
  const elsewhere = join(cache, `${'0'.repeat(32)}.index`);
  writeFileSync(elsewhere, `openbot claude sessions 5 ${JSON.stringify(home.folder)}\n${hidden}\n`);
  const newer = join(cache, `${'1'.repeat(32)}.index`);
  writeFileSync(
    newer,
    `openbot claude sessions 99 ${JSON.stringify(join(home.env.CLAUDE_CONFIG_DIR!, 'projects'))}\n`,
  );
  const registry = join(home.stateDir, 'claude-code', 'main', 'sessions.json');
  const kept = JSON.parse(readFileSync(registry, 'utf8'));
  const id = idOf(0);
  kept.sessions[id].tasks = [SECRETS.npm![0], SECRETS.Stripe![0]];
  kept.sessions[id].label = SECRETS.npm![0];
  delete kept.hidesSecrets;
  writeFileSync(registry, JSON.stringify(kept));

  const { stdout } = await home.run(['cc', 'list', '--repo', repo!, '--json']);
  expect(leaksOf(stdout)).toEqual([]);
  expect(leaksOf(readAll(cache))).toEqual([]);
  expect(readdirSync(cache)).not.toContain(`${'0'.repeat(32)}.index`);
  await updateRegistry(home.stateDir, 'main', () => {});
  expect(leaksOf(readFileSync(registry, 'utf8'))).toEqual([]);
});

function readAll(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n');
}

/** What the tools about the project answer to a client. */
async function askTools(home: Home, repo: string): Promise<string> {
  const child = spawn(process.execPath, [...COMMAND, 'mcp', `--repo=${repo}`], {
    env: home.env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (id: number, method: string, params: object): Promise<string> => {
    tell({ id, method, params });
    return (await lines.next()).value ?? '';
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  tell({ method: 'notifications/initialized' });
  const list = await ask(2, 'tools/call', { name: 'openclaw_session_list', arguments: {} });
  const status = await ask(3, 'tools/call', { name: 'openclaw_project_status', arguments: {} });
  child.stdin.end();
  return list + status;
}

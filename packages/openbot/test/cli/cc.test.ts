import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { DiscoveredSession, ProjectStatus, SessionSelection } from '@openbot/claude-code';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { writeSession } from '../setup/own-session.ts';
import { addFixtures, type Home, makeHome } from '../setup/run-openbot.ts';

const ONE = '00000000-0000-4000-8000-000000000001';
const TWO = '00000000-0000-4000-8000-000000000002';

let home: Home;
beforeEach(() => {
  home = makeHome();
});

function makeRepo(name: string): string {
  const repo = join(home.folder, name);
  mkdirSync(repo);
  execFileSync('git', ['init', '-q', '-b', 'main', repo], { env: home.env as NodeJS.ProcessEnv });
  return repo;
}

describe('cc list', () => {
  test('the sessions of a repository, and of no other', async () => {
    const [repo, other] = [makeRepo('one'), makeRepo('other')];
    writeSession(home, repo, ONE, 'teach the parser to read\nseveral lines');
    writeSession(home, other, TWO, 'something else');
    const { code, stdout, stderr } = await home.run(['cc', 'list', '--repo', repo]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^1 session\n/);
    expect(stdout).toMatch(
      /00000000 {2}native .* 2 {2} 1,220 {2}main {4}teach the parser to read several lines/,
    );
    expect(stdout).not.toContain('something else');
    expect((await home.run(['cc', 'list'], { cwd: repo })).stdout).toBe(stdout);
  });

  test('those of all repositories, as JSON and as a table that names them', async () => {
    addFixtures(home);
    const all = await home.json<DiscoveredSession[]>('cc', 'list', '--all');
    expect(all.length).toBeGreaterThan(4);
    expect(all.find(({ sessionId }) => sessionId.startsWith('bbbb0020'))).toMatchObject({
      source: 'native-only',
      branch: 'main',
      firstMessage: '@@bash go',
      compactionCount: 1,
      isRunning: false,
    });
    const { stdout } = await home.run(['cc', 'list', '--all', '-n', '2']);
    expect(stdout).toMatch(new RegExp(`^Showing 2 of ${all.length} sessions\\n`));
    expect(stdout).toContain('REPOSITORY');
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
  });

  test('a session that was renamed has its title', async () => {
    const repo = makeRepo('renamed');
    writeSession(home, repo, ONE, 'teach the parser', 'main', 'The Parser');
    const { stdout } = await home.run(['cc', 'list', '--repo', repo]);
    expect(stdout).toContain('[The Parser] teach the parser');
    expect((await home.run(['cc', 'status', '--repo', repo])).stdout).toContain('[main] The Parser');
    const [session] = await home.json<DiscoveredSession[]>('cc', 'list', '--repo', repo);
    expect(session).toMatchObject({ title: 'The Parser', firstMessage: 'teach the parser' });
  });

  test('an empty list is a sentence as text, and [] as JSON', async () => {
    const repo = makeRepo('empty');
    expect((await home.run(['cc', 'list', '--repo', repo])).stdout).toBe(
      `No Claude Code sessions of ${repo}.\n`,
    );
    expect(await home.json('cc', 'list', '--repo', repo)).toEqual([]);
  });

  test('control characters of a first message do not reach the terminal', async () => {
    const repo = makeRepo('hostile');
    writeSession(home, repo, ONE, 'red \u001b[31malert\u0007');
    const { stdout } = await home.run(['cc', 'list', '--repo', repo]);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

test('cc status reports git and sessions', async () => {
  const repo = makeRepo('one');
  writeSession(home, repo, ONE, 'teach the parser');
  const status = await home.json<ProjectStatus>('cc', 'status', '--repo', repo);
  expect(status.git.currentBranch).toBe('main');
  expect(status.sessions.recent.map(({ sessionId }) => sessionId)).toEqual([ONE]);
  const { stdout } = await home.run(['cc', 'status', '--repo', repo]);
  expect(stdout).toContain('Branch    main');
  expect(stdout).toContain('teach the parser');
});

describe('cc select', () => {
  test('an own session about the same matter goes on, and the table says why', async () => {
    const repo = makeRepo('one');
    writeSession(home, repo, ONE, '[openclaw:agent=main]\n\nteach the parser to read comments');
    const args = ['cc', 'select', 'teach the parser to read comments', '--repo', repo];
    const selection = await home.json<SessionSelection>(...args);
    expect(selection).toMatchObject({ action: 'resume', sessionId: ONE });
    expect(selection.scores).toHaveLength(1);
    expect((await home.run([...args, '--explain'])).stdout).toMatch(/BRANCH +RECENCY +RELEVANCE/);
    const { stdout } = await home.run(args);
    expect(stdout).not.toMatch(/RECENCY/);
    expect(stdout).toMatch(new RegExp(`^resume: session ${ONE} scores`));
  });

  test('asks git for the branch, and gh for nothing', async () => {
    const repo = makeRepo('one');
    const bin = join(home.folder, 'bin');
    const mark = join(home.folder, 'asked');
    mkdirSync(bin);
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\n: > '${mark}'\n`, { mode: 0o755 });
    home.env.PATH = `${bin}:${home.env.PATH}`;
    writeSession(home, repo, ONE, '[openclaw:agent=main]\n\nteach the parser');
    const selection = await home.json<SessionSelection>('cc', 'select', 'teach the parser', '--repo', repo);
    expect(selection.scores?.[0]?.parts.branch).toBe(25);
    expect(existsSync(mark)).toBe(false);
  });

  test('a threshold, a budget and a model are those of the command line', async () => {
    const repo = makeRepo('one');
    writeSession(home, repo, ONE, '[openclaw:agent=main]\n\nteach the parser');
    const registry = join(home.stateDir, 'claude-code', 'main', 'sessions.json');
    mkdirSync(dirname(registry), { recursive: true });
    const entry = {
      sessionId: ONE,
      agentId: 'main',
      repoPath: repo,
      tasks: ['teach the parser'],
      turns: 1,
      totalCostUsd: 2,
      startedAt: '2026-11-15T18:00:00.000Z',
    };
    writeFileSync(registry, JSON.stringify({ version: 1, sessions: { [ONE]: entry } }));
    const asked: { model?: string }[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8');
      let body = '';
      request.on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push(JSON.parse(body));
        response.writeHead(500).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    home.env.ANTHROPIC_API_KEY = 'x';
    home.env.ANTHROPIC_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const select = (...flags: string[]) =>
      home.json<SessionSelection>('cc', 'select', 'teach the parser', '--repo', repo, ...flags);
    expect((await select('--model', 'some-model')).action).toBe('resume');
    expect(asked.map(({ model }) => model)).toEqual(['some-model']);
    expect((await select('--words', '--threshold', '1')).action).toBe('fresh');
    expect((await select('--words', '--budget', '2.5')).scores?.[0]?.ceiling).toBe('budget');
    expect(asked).toHaveLength(1);
  });

  test("another agent's session is not gone on with", async () => {
    const repo = makeRepo('one');
    writeSession(home, repo, ONE, '[openclaw:agent=ada]\n\nteach the parser');
    const selection = await home.json<SessionSelection>('cc', 'select', 'teach the parser', '--repo', repo);
    expect(selection.action).toBe('fresh');
  });

  test('an unknown label means a fresh session', async () => {
    const repo = makeRepo('one');
    const args = ['cc', 'select', 'x', '--repo', repo, '--label', 'release'];
    expect(await home.json<SessionSelection>(...args)).toMatchObject({ action: 'fresh' });
  });
});

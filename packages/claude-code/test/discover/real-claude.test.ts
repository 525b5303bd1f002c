/** Sessions that the real Claude Code wrote, here and now. */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claudeProjectSlug as repoPathToSlug } from '@openbot/sessions/layout';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ClaudeHome,
  findClaudeBinary,
  makeClaudeHome,
  runClaude,
} from '../../../../test/imitations/claude-binary.ts';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { discoverSessions } from '../../src/discover/discover-sessions.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;

describe.skipIf(missing !== undefined)(`sessions of the real Claude Code ${missing ?? ''}`, () => {
  const path = 'path' in binary ? binary.path : '';
  let api: MessagesApi;
  let home: ClaudeHome;
  beforeAll(async () => {
    api = await startMessagesApi({ replies: () => ({ blocks: [say('Done.')] }) });
    home = await makeClaudeHome(api.url);
  });
  afterAll(async () => {
    await api?.close();
    await home?.remove();
  });
  const discover = (repo = home.cwd) =>
    discoverSessions(repo, { stateDir: join(home.root, 'state'), env: home.env });

  test('started with a marker, resumed, forked on the command line and by the SDK', LONG, async () => {
    const started = await runClaude(path, home, '[openclaw:agent=main]\n\nSay done.');
    const id = started.result!.session_id;
    const [first, ...none] = await discover();
    expect(none).toEqual([]);
    expect(first).toMatchObject({
      sessionId: id,
      source: 'native-only',
      agentId: 'main',
      originMarker: 'main',
      firstMessage: 'Say done.',
      repoPath: home.cwd,
      cwd: home.cwd,
      branch: 'HEAD',
      messageCount: 2,
      compactionCount: 0,
    });
    expect(first!.totalOutputTokens).toBeGreaterThan(0);

    await runClaude(path, home, 'And again.', { resume: id });
    const [resumed] = await discover();
    expect(resumed).toMatchObject({
      sessionId: id,
      firstMessage: 'Say done.',
      messageCount: 4,
      totalOutputTokens: 2 * first!.totalOutputTokens,
    });

    const forked = await runClaude(path, home, 'Elsewhere.', {
      resume: id,
      extraArguments: ['--fork-session'],
    });
    const fork = forked.result!.session_id;
    expect(fork).not.toBe(id);
    const byId = new Map((await discover()).map((session) => [session.sessionId, session]));
    expect([...byId.keys()].sort()).toEqual([id, fork].sort());
    expect(byId.get(id)).toEqual(resumed);
    expect(byId.get(fork)).toMatchObject({ originMarker: 'main', messageCount: 6 });

    const { forkSession } = await import('@anthropic-ai/claude-agent-sdk');
    process.env.CLAUDE_CONFIG_DIR = home.config;
    const copy = await forkSession(id, { dir: home.cwd }).finally(() => {
      delete process.env.CLAUDE_CONFIG_DIR;
    });
    const copied = (await discover()).find(({ sessionId }) => sessionId === copy.sessionId);
    expect(copied).toMatchObject({
      forkedFrom: id,
      messageCount: 4,
      totalInputTokens: resumed!.totalInputTokens,
    });
  });

  test('what Claude Code calls a session is its title', async () => {
    const { getSessionInfo, renameSession } = await import('@anthropic-ai/claude-agent-sdk');
    const cwd = join(home.cwd, 'titles');
    mkdirSync(cwd);
    const id = (await runClaude(path, { ...home, cwd }, 'Say done.')).result!.session_id;
    const file = join(home.config, 'projects', repoPathToSlug(cwd), `${id}.jsonl`);
    const titles = async () => {
      process.env.CLAUDE_CONFIG_DIR = home.config;
      const info = await getSessionInfo(id, { dir: cwd }).finally(() => delete process.env.CLAUDE_CONFIG_DIR);
      const [session] = await discover(cwd);
      return [session!.title, info?.customTitle];
    };
    const rename = async (title: string) => {
      process.env.CLAUDE_CONFIG_DIR = home.config;
      await renameSession(id, title, { dir: cwd }).finally(() => delete process.env.CLAUDE_CONFIG_DIR);
    };
    expect(await titles()).toEqual([undefined, undefined]);
    appendFileSync(file, `${JSON.stringify({ type: 'ai-title', aiTitle: 'By a model', sessionId: id })}\n`);
    expect(await titles()).toEqual(['By a model', 'By a model']);
    await rename('By a person');
    await rename('By a person, again');
    expect(await titles()).toEqual(['By a person, again', 'By a person, again']);
  });

  test.each([
    ['odd letters', 'a.b_c-d é 😀'],
    ['a path that is too long for a name', join('x'.repeat(120), 'y'.repeat(120))],
  ])('the folder of a project has the name that we compute: %s', async (_name, below) => {
    const cwd = join(home.cwd, below);
    mkdirSync(cwd, { recursive: true });
    const run = await runClaude(path, { ...home, cwd }, 'Say done.');
    const id = run.result!.session_id;
    expect(existsSync(join(home.config, 'projects', repoPathToSlug(cwd), `${id}.jsonl`))).toBe(true);
    expect((await discover(cwd)).map(({ sessionId }) => sessionId)).toEqual([id]);
  });
});

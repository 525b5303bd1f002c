/** The real Claude Code on an imitation of the API. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DiscoveredSession, RunEvent } from '@openbot/claude-code';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClaudeHome, makeClaudeHome } from '../../../../test/imitations/claude-binary.ts';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { say } from '../../../../test/imitations/messages-format.ts';
import { main } from '../../src/cli/main.ts';
import { openTerminal } from '../../src/cli/open-terminal.ts';

let api: MessagesApi;
let home: ClaudeHome;
beforeAll(async () => {
  api = await startMessagesApi({ replies: [] });
  home = await makeClaudeHome(api.url);
});
afterAll(async () => {
  await api.close();
  await home.remove();
});

async function run(...args: string[]) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  // No key: sessions are chosen by their words.
  const env = { ...home.env, OPENBOT_STATE_DIR: join(home.root, 'state') };
  const terminal = openTerminal(stream('stdout'), stream('stderr'), env);
  const code = await main({ args, env, cwd: home.cwd, terminal });
  return { code, ...texts };
}

test('runs a task, names the session and the cost, and goes on in it the next time', async () => {
  api.setReplies(() => ({
    blocks: [say('The parser is taught.')],
    usage: { input_tokens: 1000, output_tokens: 10 },
  }));
  const first = await run('cc', 'run', 'teach the parser to read', '--fresh', '--no-mcp', '--budget', '5');
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toContain('The parser is taught.');
  const [, sessionId] =
    /✓ success {2}([0-9a-f-]{36}) {2}1 turn, \$0\.\d{4} of \$5\.00\n$/.exec(first.stdout) ?? [];
  expect(sessionId).toBeDefined();

  api.setReplies(() => ({
    blocks: [say('And now to write.')],
    usage: { input_tokens: 1100, output_tokens: 10 },
  }));
  const second = await run(
    'cc',
    'run',
    'teach the parser to write',
    '--session',
    sessionId!,
    '--no-mcp',
    '--json',
  );
  expect([second.code, second.stderr]).toEqual([0, '']);
  const events = second.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
  expect(events.find(({ type }) => type === 'started')).toMatchObject({ action: 'resume', sessionId });
  expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: { result: 'success', sessionId } });

  const { stdout } = await run('cc', 'list', '--json');
  const [listed] = JSON.parse(stdout) as DiscoveredSession[];
  expect(listed).toMatchObject({
    sessionId,
    source: 'openclaw',
    agentId: 'main',
    isRunning: false,
    totalTurns: 2,
  });
  expect(listed!.firstMessage).toBe('teach the parser to read');
});

test('a run that fails says why, and exits with 1', async () => {
  const other = join(home.root, 'other');
  mkdirSync(other, { recursive: true });
  const { code, stdout, stderr } = await run(
    'cc',
    'run',
    'x',
    '--fresh',
    '--no-mcp',
    '--repo',
    other,
    '--claude',
    '/nowhere/claude',
  );
  expect([code, stdout]).toEqual([1, expect.not.stringContaining('success')]);
  expect(stderr).toMatch(/^Error: /);
});

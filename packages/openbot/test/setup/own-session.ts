import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoPathToSlug } from '@openbot/claude-code';
import type { Home } from './run-openbot.ts';

/** Writes a session of a repository as Claude Code would, with one question and one answer. */
export function writeSession(
  home: Pick<Home, 'env'>,
  repo: string,
  sessionId: string,
  text: string,
  branch = 'main',
  title?: string,
): void {
  const folder = join(home.env.CLAUDE_CONFIG_DIR!, 'projects', repoPathToSlug(repo));
  mkdirSync(folder, { recursive: true });
  const common = {
    sessionId,
    cwd: repo,
    gitBranch: branch,
    version: '2.1.325',
    isSidechain: false,
    userType: 'external',
  };
  const lines: object[] = [
    ...(title === undefined ? [] : [{ type: 'custom-title', customTitle: title, sessionId }]),
    {
      ...common,
      type: 'user',
      uuid: `${sessionId.slice(0, 34)}01`,
      parentUuid: null,
      timestamp: '2026-11-15T18:00:00.000Z',
      message: { role: 'user', content: text },
    },
    {
      ...common,
      type: 'assistant',
      uuid: `${sessionId.slice(0, 34)}02`,
      parentUuid: `${sessionId.slice(0, 34)}01`,
      timestamp: '2026-11-15T18:00:01.000Z',
      message: {
        id: `msg_${sessionId}`,
        role: 'assistant',
        model: 'claude-test',
        content: [{ type: 'text', text: 'Done.' }],
        usage: { input_tokens: 1000, output_tokens: 20, cache_read_input_tokens: 200 },
      },
    },
  ];
  writeFileSync(
    join(folder, `${sessionId}.jsonl`),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
}

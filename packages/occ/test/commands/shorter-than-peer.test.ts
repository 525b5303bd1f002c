/** The same session cleaned by occ and by ccs-cloner, weighed in the same way. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { contextTokens, scanTranscriptFile } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { runOccHere } from '../setup/run-occ.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

type Line = Record<string, unknown>;

const ID = '11111111-2222-4333-8444-555555555555';
const PEER = join(dirname(createRequire(import.meta.url).resolve('ccs-cloner/package.json')), 'dist/cli.js');
const output = (what: string, lines: number) =>
  Array.from({ length: lines }, (_, n) => `${what}: line ${n} of what it gave back`).join('\n');

/** Forty turns: a call, a report of a background agent and the output of a command in each. */
function composeSession(): Line[] {
  const lines: Line[] = [];
  const add = (fields: Line): void => {
    const parentUuid = lines.at(-1)?.uuid ?? null;
    const uuid = `00000000-0000-4000-8000-${String(lines.length).padStart(12, '0')}`;
    const common = { isSidechain: false, cwd: '/w', sessionId: ID, version: '2.1.325', userType: 'external' };
    lines.push({ parentUuid, ...common, timestamp: '2026-11-16T10:00:00.000Z', uuid, ...fields });
  };
  const user = (content: unknown, more: Line = {}) =>
    add({ type: 'user', message: { role: 'user', content }, ...more });
  const assistant = (id: string, content: Line) =>
    add({
      type: 'assistant',
      message: { id, type: 'message', role: 'assistant', model: 'm', content: [content] },
    });
  for (let n = 0; n < 40; n++) {
    user(`question ${n}: what now?`);
    assistant(`msg_${n}a`, {
      type: 'tool_use',
      id: `toolu_${n}`,
      name: 'Bash',
      input: { command: `ls ${n}` },
    });
    user([{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: output('ls', 3) }]);
    user(
      `<task-notification>\n<task-id>a${n}</task-id>\n<status>completed</status>\n<result>${output('agent', 12)}</result>\n</task-notification>`,
      { origin: { kind: 'task-notification' } },
    );
    user(`<bash-stdout>${output('command', 6)}</bash-stdout><bash-stderr></bash-stderr>`);
    assistant(`msg_${n}b`, { type: 'text', text: `Answer ${n}.` });
  }
  return lines;
}

test('occ leaves less than ccs-cloner does, and every word of a person', async () => {
  const home = makeTempFolder();
  const project = join(home, 'source/projects/-w');
  mkdirSync(project, { recursive: true });
  const lines = composeSession();
  writeFileSync(join(project, `${ID}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const name of ['ours', 'peer']) cpSync(join(home, 'source'), join(home, name), { recursive: true });

  const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, 'ours') };
  const ours = await runOccHere(['clone', ID, '--source', 'claude', '--strip-tools', '--json'], { env });
  expect(ours.stderr).toBe('');
  const words = [PEER, 'clone', ID, '--strip-tools', '--claude-dir', join(home, 'peer'), '--json'];
  const peer = await promisify(execFile)(process.execPath, words, {
    env: { PATH: process.env.PATH, HOME: home },
  });

  const paths = [ours.stdout, peer.stdout].map((stdout) => findPath(stdout));
  const [before, afterOurs, afterPeer] = await Promise.all(
    [join(project, `${ID}.jsonl`), ...paths].map(
      async (path) => contextTokens(await scanTranscriptFile(path)).tokens,
    ),
  );
  expect(afterPeer!).toBeLessThan(before!);
  expect(afterOurs!).toBeLessThan(afterPeer!);

  const cloned = readFileSync(paths[0]!, 'utf8');
  for (let n = 0; n < 40; n++) expect(cloned).toContain(`question ${n}: what now?`);
  const { statistics } = JSON.parse(ours.stdout) as { statistics: Line };
  expect(statistics.toolOutputsTruncated).toBe(60);
});

function findPath(stdout: string): string {
  const found = /"[^"]*[pP]ath":\s*"([^"]+)"/.exec(stdout);
  expect(found, stdout).not.toBeNull();
  return found![1]!;
}

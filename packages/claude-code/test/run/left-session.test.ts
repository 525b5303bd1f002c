/** A program in the place of Claude Code that goes on in another session than it was started for. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRegistry } from '../../src/registry/registry-file.ts';
import { startRun } from '../../src/run/claude-run.ts';
import type { RunEvent } from '../../src/run-contract/run-event.ts';
import { makeTempFolder } from '../temp-folder.ts';

const ELSEWHERE = '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a01';

/** Answers what the Agent SDK asks, and each message with a turn; the second turn is in another session. */
const PROGRAM = `#!${process.execPath}
const { createInterface } = require('node:readline');
const own = process.argv.join(' ').match(/--session-id[ =]([0-9a-f-]{36})/)[1];
const write = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
let turns = 0;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, request_id } = JSON.parse(line);
  if (type === 'control_request') {
    write({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  }
  if (type !== 'user') return;
  turns += 1;
  const session_id = turns === 1 ? own : '${ELSEWHERE}';
  write({ type: 'system', subtype: 'init', session_id, model: 'a-model', tools: [], mcp_servers: [] });
  write({
    ...{ type: 'result', subtype: 'success', is_error: false, result: 'Turn ' + turns, session_id },
    ...{ total_cost_usd: turns === 1 ? 3 : 1, num_turns: 1, usage: {}, modelUsage: {}, permission_denials: [] },
  });
});`;

test('a run whose Claude Code leaves the session fails, and counts nothing of the other one', async () => {
  const root = makeTempFolder();
  const program = join(root, 'program.cjs');
  writeFileSync(program, PROGRAM);
  chmodSync(program, 0o755);
  const repoPath = join(root, 'repo');
  mkdirSync(repoPath);
  const stateDir = join(root, 'state');
  const events: RunEvent[] = [];
  const run = startRun({
    task: 'go',
    repoPath,
    agentId: 'main',
    stateDir,
    session: { action: 'fresh' },
    env: { PATH: process.env.PATH, HOME: root },
    pathToClaudeCodeExecutable: program,
    agentTools: false,
    onEvent: (event) => events.push(event),
  });
  run.send('go elsewhere');
  run.send('and further');
  const outcome = await run.outcome;
  expect(outcome).toMatchObject({ result: 'error', totalCostUsd: 3, unsent: ['and further'] });
  expect(outcome.failure).toContain(ELSEWHERE);
  expect(events.filter(({ type }) => type === 'started')).toHaveLength(1);
  expect([...readRegistry(stateDir, 'main').keys()]).toEqual([outcome.sessionId]);
});

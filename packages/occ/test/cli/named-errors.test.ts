/** Codes and exit codes as the design names them, with the finer code beside. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ConversationMessage, OpenBotError, resolveSessionId } from '../../src/index.ts';
import { runOcc, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

let stateDir: string;
let sessions: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'occ-seed-'));
  sessions = join(stateDir, 'agents/main/sessions');
  writeSession(stateDir, 'main', 'abc123', createSessionWithTurns(30, 1, { resultLength: 500 }));
});
afterEach(() => {
  rmSync(stateDir, { recursive: true, force: true });
  delete process.env.OPENCLAW_STATE_DIR;
});

async function refuse(
  ...args: string[]
): Promise<{ code: string; reason?: string; message: string; hint: string }> {
  const { code, stdout, stderr } = await runOccHere([...args, '--json', '--state-dir', stateDir]);
  expect([code, stdout]).toEqual([1, '']);
  return JSON.parse(stderr).error;
}

it.each([
  ['edit', 'EDIT_FAILED', ['--strip-tools']],
  ['edit', 'EDIT_FAILED', ['--strip-tools', '--dry-run']],
  ['clone', 'CLONE_FAILED', []],
])('%s of a file without a readable line: %s', async (command, code, flags) => {
  writeFileSync(join(sessions, 'broken.jsonl'), 'no json\nneither\n');
  expect(await refuse(command, 'broken', ...flags)).toMatchObject({
    code,
    reason: 'SESSION_UNSUPPORTED',
    message: expect.stringContaining('Failed to parse session file'),
    hint: expect.stringContaining('may be corrupted'),
  });
});

it.each([
  ['edit', 'EDIT_FAILED', ['--strip-tools']],
  ['clone', 'CLONE_FAILED', []],
])('%s of a session that is a folder: %s', async (command, code, flags) => {
  mkdirSync(join(sessions, 'folder.jsonl'));
  const error = await refuse(command, join(sessions, 'folder.jsonl'), ...flags);
  expect([code, 'SESSION_UNSUPPORTED', 'SESSION_NOT_FOUND']).toContain(error.code);
});

it('a refusal keeps its name', async () => {
  expect(await refuse('edit', 'none', '--strip-tools')).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect(await refuse('edit', 'abc123', '--strip-tools=none')).toMatchObject({ code: 'UNKNOWN_PRESET' });
  expect(await refuse('clone', 'abc123', '-o', '/nowhere/x.jsonl')).toMatchObject({ code: 'USAGE' });
  expect(await refuse('edit', 'none', '--strip-tools')).not.toHaveProperty('reason');
});

it('info of a file without a readable line exits with 1, of an empty one with 0', async () => {
  writeFileSync(join(sessions, 'broken.jsonl'), 'no json\nneither\n');
  const { code, stdout, stderr } = await runOcc(['info', 'broken', '--state-dir', stateDir]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Error: Failed to parse session file .*\n {2}Session file may be corrupted/);
  writeFileSync(join(sessions, 'empty.jsonl'), '');
  expect((await runOcc(['info', 'empty', '--state-dir', stateDir])).code).toBe(0);
});

it('the matches of an ambiguous name are ids, all of them', async () => {
  const ids = Array.from({ length: 14 }, (_, at) => `abd-${String(at).padStart(2, '0')}`);
  for (const id of ids) writeSession(stateDir, 'main', id, createSessionWithTurns(1));
  process.env.OPENCLAW_STATE_DIR = stateDir;
  const error = await resolveSessionId('abd').catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(OpenBotError);
  const { code, details, message } = error as OpenBotError;
  expect(code).toBe('AMBIGUOUS_SESSION');
  expect(new Set(details?.matches as string[])).toEqual(new Set(ids));
  expect(message).toContain('and 4 more');
});

it('a message has the fields of the design', () => {
  const message: ConversationMessage = {
    role: 'assistant',
    content: [],
    api: 'openai-responses',
    provider: 'openai',
    model: 'x',
    stopReason: 'stop',
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
  };
  const total: number | undefined = message.usage?.totalTokens;
  expect(total).toBe(2);
});

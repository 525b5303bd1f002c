/** What is counted in the files that other programs wrote. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runOccHere } from '../setup/run-occ.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');

async function readInfo(args: readonly string[], home: string) {
  const run = await runOccHere(['info', '--json', ...args], { env: { HOME: home } });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout);
}

it('Claude Code: the lines of one message count once, sidecars do not count', async () => {
  const home = makeTempFolder();
  cpSync(join(FIXTURES, 'claude-code/projects'), join(home, '.claude/projects'), { recursive: true });
  const info = await readInfo(['aaaa0001', '--source', 'claude'], home);
  expect(info.source).toBe('claude');
  // Of the three in the person's name two were written by the program: a reminder and a notification.
  expect(info.messages).toEqual({ total: 7, user: 3, assistant: 3, toolResult: 1, other: 0 });
  expect(info.turns).toEqual({ total: 1, withTools: 1 });
  expect(info.toolCalls).toEqual({ total: 1, byTool: { Agent: 1 } });
});

it('Claude Code: compactions are the boundary lines, each once', async () => {
  const home = makeTempFolder();
  cpSync(join(FIXTURES, 'claude-code/projects'), join(home, '.claude/projects'), { recursive: true });
  expect((await readInfo(['aaaa0007', '--source', 'claude'], home)).compactions).toBe(2);
});

it('OpenClaw: a compacted transcript', async () => {
  const home = makeTempFolder();
  const folder = join(home, '.openclaw/agents/main/sessions');
  mkdirSync(folder, { recursive: true });
  cpSync(join(FIXTURES, 'openclaw-files/2026.7.35/compacted-pristine.jsonl'), join(folder, 'c0ffee.jsonl'));
  const info = await readInfo(['c0ffee'], home);
  expect(info).toMatchObject({ source: 'openclaw', compactions: 1 });
  expect(info.turns.total).toBe(3);
  expect(info.tokens).toMatchObject({ context: 9357, basis: 'recorded' });
});

it('pi: a session in its own folder', async () => {
  const home = makeTempFolder();
  const folder = join(home, '.pi/agent/sessions/--home-user-work--');
  mkdirSync(folder, { recursive: true });
  const name = '2026-11-15T18-15-19-515Z_01a1e06b-bcd9-7616-8d44-c6be777b69ba.jsonl';
  cpSync(join(FIXTURES, 'pi', name), join(folder, name));
  const info = await readInfo(['01a1e06b-bcd9'], home);
  expect(info).toMatchObject({ source: 'pi', sessionId: '01a1e06b-bcd9-7616-8d44-c6be777b69ba' });
  // The tenth is a command that the person ran in the shell.
  expect(info.messages).toEqual({ total: 10, user: 2, assistant: 4, toolResult: 3, other: 1 });
  expect(info.toolCalls).toEqual({ total: 3, byTool: { bash: 2, read: 1 } });
});

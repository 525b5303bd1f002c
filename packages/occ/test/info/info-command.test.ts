import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const ID = 'abc12345-0000-4000-8000-000000000001';

async function readInfo(stateDir: string, ...args: string[]) {
  const run = await runOccHere(['info', ...args, '--state-dir', stateDir, '--json']);
  expect(run.stderr).toBe('');
  expect(run.code).toBe(0);
  return JSON.parse(run.stdout);
}

describe('occ info', () => {
  it('TC-2.1a displays session statistics', async () => {
    const stateDir = makeTempFolder();
    writeSession(stateDir, 'main', ID, createSessionWithTurns(3, 2));
    const { code, stdout, stderr } = await runOccHere(['info', ID, '--state-dir', stateDir]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Session: ${ID}\n`);
    expect(stdout).toMatch(/Messages: 15 \(3 user, 6 assistant, 6 tool results\)/);
    expect(stdout).toContain('Turns: 3 (3 with tools)');
    expect(stdout).toContain('Tool calls: 6\n');
    for (const section of ['Where the context goes', 'By tool', 'What each preset would leave']) {
      expect(stdout).toContain(section);
    }
    expect(stdout).toContain('Recommendation: ');
    expect(stdout).not.toContain('\u001b');
  });

  it('TC-2.2a counts messages, turns and tool calls as they are', async () => {
    const stateDir = makeTempFolder();
    const lines = [
      ...createSessionWithTurns(4, 3),
      { type: 'message', timestamp: 1, message: { role: 'user', content: 'No tools this time' } },
      { type: 'message', timestamp: 2, message: { role: 'assistant', content: 'None.', stopReason: 'stop' } },
    ];
    writeSession(stateDir, 'main', ID, lines);
    const info = await readInfo(stateDir, ID);
    expect(info.messages).toEqual({ total: 26, user: 5, assistant: 9, toolResult: 12, other: 0 });
    expect(info.turns).toEqual({ total: 5, withTools: 4 });
    expect(info.toolCalls).toEqual({ total: 12, byTool: { Read: 12 } });
  });

  it('TC-2.3a estimates tokens from the text, and calls it so', async () => {
    const stateDir = makeTempFolder();
    writeSession(
      stateDir,
      'main',
      ID,
      createSessionWithTurns(2, 1, { resultLength: 20_000, textLength: 4000 }),
    );
    const { tokens } = await readInfo(stateDir, ID);
    expect(tokens.basis).toBe('estimated');
    // Two results of 20,000 characters, four texts of 4,000, and little else, at four characters for a token.
    expect(tokens.context).toBeGreaterThan(14_000);
    expect(tokens.context).toBeLessThan(14_200);
    expect(tokens.byKind.toolResults).toBe(10_000);
    expect(tokens.byKind.user).toBe(2000);
    expect(tokens.byTool.Read).toBeGreaterThan(10_000);
    const { stdout } = await runOccHere(['info', ID, '--state-dir', stateDir]);
    expect(stdout).toMatch(/Context: 14,\d{3} tokens \(estimated\)/);
  });

  it("takes the provider's own figure where there is one", async () => {
    const stateDir = makeTempFolder();
    const lines = createSessionWithTurns(2, 1, { tree: true, usage: true, resultLength: 8000 });
    const last = lines.at(-1)!.message as { usage: { totalTokens: number } };
    writeSession(stateDir, 'main', ID, lines);
    const { tokens } = await readInfo(stateDir, ID);
    expect(tokens.basis).toBe('recorded');
    expect(tokens.context).toBe(last.usage.totalTokens);
  });

  it('TC-2.4a shows the size of the file, for people and exactly', async () => {
    const stateDir = makeTempFolder();
    const path = writeSession(stateDir, 'main', ID, createSessionWithTurns(1, 1, { resultLength: 150_000 }));
    expect((await runOccHere(['info', ID, '--state-dir', stateDir])).stdout).toContain('  Size: 151 KB\n');
    expect((await readInfo(stateDir, ID)).sizeBytes).toBe(statSync(path).size);
  });

  it('says how full the window is where the entry names one, to people and programs', async () => {
    const stateDir = makeTempFolder();
    const lines = createSessionWithTurns(25, 2, { resultLength: 500 });
    writeSession(stateDir, 'main', ID, lines, { entry: { contextTokens: 20_000, label: 'work' } });
    const info = await readInfo(stateDir, ID);
    const percent = Math.round((info.tokens.context / 20_000) * 100);
    expect(percent).toBeGreaterThan(10);
    expect(info).toMatchObject({ window: { tokens: 20_000, percent }, label: 'work', foundBy: 'argument' });
    expect((await runOccHere(['info', ID, '--state-dir', stateDir])).stdout).toMatch(
      new RegExp(`Context: [\\d,]+ tokens \\(estimated\\), ${percent}% of the window of 20,000\\n`),
    );
  });

  it('a context that is small in general but not for its window is worth a clean', async () => {
    const stateDir = makeTempFolder();
    const lines = createSessionWithTurns(40, 2, { resultLength: 800 });
    writeSession(stateDir, 'main', ID, lines, { entry: { contextTokens: 32_000 } });
    const { tokens, recommendation } = await readInfo(stateDir, ID);
    expect(tokens.context).toBeLessThan(50_000);
    expect(recommendation).toMatchObject({
      preset: expect.any(String),
      reason: expect.stringContaining('%'),
    });
  });

  it('TC-2.5a prints all fields as JSON, in one order', async () => {
    const stateDir = makeTempFolder();
    const path = writeSession(stateDir, 'main', ID, createSessionWithTurns(25, 2, { resultLength: 500 }));
    const info = await readInfo(stateDir, ID);
    expect(Object.keys(info)).toEqual([
      'sessionId',
      'foundBy',
      'sessionKey',
      'agentId',
      'source',
      'path',
      'sizeBytes',
      'messages',
      'turns',
      'toolCalls',
      'tokens',
      'compactions',
      'presets',
      'recommendation',
    ]);
    expect(info).toMatchObject({ sessionId: ID, source: 'openclaw', path, compactions: 0 });
    expect(Object.keys(info.tokens)).toEqual(['context', 'basis', 'byKind', 'byTool']);
    expect(Object.keys(info.tokens.byKind)).toEqual([
      'user',
      'assistant',
      'thinking',
      'toolCalls',
      'toolResults',
      'other',
      'overhead',
    ]);
    expect(Object.keys(info.presets)).toEqual(['default', 'aggressive', 'extreme']);
    expect(info.presets.default).toMatchObject({ toolCallsRemoved: 10, toolCallsTruncated: 20 });
    expect(info.presets.aggressive).toMatchObject({ toolCallsRemoved: 30, toolCallsTruncated: 10 });
    expect(info.presets.extreme).toMatchObject({ toolCallsRemoved: 50, toolCallsTruncated: 0 });
    const after = ['default', 'aggressive', 'extreme'].map((name) => info.presets[name].tokensAfter);
    expect(after).toEqual([...after].sort((a, b) => b - a));
    expect(after[0]).toBeLessThan(info.tokens.context);
  });

  it('TC-2.6a an unknown id is an error with a way out', async () => {
    const stateDir = makeTempFolder();
    writeSession(stateDir, 'main', ID, createSessionWithTurns(1));
    const run = await runOccHere(['info', 'bad', '--state-dir', stateDir]);
    expect(run.code).toBe(1);
    expect(run.stdout).toBe('');
    expect(run.stderr).toMatch(
      /^Error: Session 'bad' not found\n {2}Use 'occ list' to see available sessions/,
    );
    const asJson = await runOccHere(['info', 'bad', '--state-dir', stateDir, '--json']);
    expect(asJson.code).toBe(1);
    expect(asJson.stdout).toBe('');
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      success: false,
      error: { code: 'SESSION_NOT_FOUND', message: "Session 'bad' not found" },
    });
  });

  it.each([
    ['only a header', createSessionWithTurns(0)],
    ['no byte at all', []],
  ])('TC-2.7a an empty session is zeros and no error: %s', async (_, lines) => {
    const stateDir = makeTempFolder();
    writeSession(stateDir, 'main', ID, lines);
    const info = await readInfo(stateDir, ID);
    expect(info.messages).toEqual({ total: 0, user: 0, assistant: 0, toolResult: 0, other: 0 });
    expect(info.turns).toEqual({ total: 0, withTools: 0 });
    expect(info.toolCalls).toEqual({ total: 0, byTool: {} });
    expect(info.tokens.context).toBe(0);
    for (const preset of Object.values(info.presets)) {
      expect(preset).toEqual({ tokensAfter: 0, toolCallsRemoved: 0, toolCallsTruncated: 0 });
    }
    const { code, stdout } = await runOccHere(['info', ID, '--state-dir', stateDir]);
    expect(code).toBe(0);
    expect(stdout).toContain('Recommendation: do not clean; there are no tool calls to clean.');
  });

  it('mentions broken lines, and counts what is around them', async () => {
    const stateDir = makeTempFolder();
    const lines = [...createSessionWithTurns(2, 1), '{"type":"message", broken', 'not json at all'];
    writeSession(stateDir, 'main', ID, lines);
    const info = await readInfo(stateDir, ID);
    expect(info.brokenLines).toBe(2);
    expect(info.messages.total).toBe(8);
    const { stdout } = await runOccHere(['info', ID, '--state-dir', stateDir]);
    expect(stdout).toContain('  Broken lines: 2 (kept as they are)\n');
  });

  it('without an id it is the most recently active session, and says so', async () => {
    const stateDir = makeTempFolder();
    writeSession(stateDir, 'main', ID, createSessionWithTurns(1));
    const { stdout } = await runOccHere(['info', '--state-dir', stateDir]);
    expect(stdout).toMatch(
      new RegExp(`^Session: ${ID}\n {2}Chosen: the most recently active session of agent main`),
    );
  });

  it('tries presets of the configuration too', async () => {
    const stateDir = makeTempFolder();
    const cwd = makeTempFolder();
    const customPresets = { gentle: { keepTurnsWithTools: 3, truncatePercent: 0 } };
    writeFileSync(join(cwd, 'occ.config.json'), JSON.stringify({ customPresets }));
    writeSession(stateDir, 'main', ID, createSessionWithTurns(5, 1, { resultLength: 300 }));
    const { stdout } = await runOccHere(['info', ID, '--state-dir', stateDir, '--json'], { cwd });
    const { presets } = JSON.parse(stdout);
    expect(Object.keys(presets)).toEqual(['default', 'aggressive', 'extreme', 'gentle']);
    expect(presets.gentle).toMatchObject({ toolCallsRemoved: 2, toolCallsTruncated: 0 });
  });

  it('a transcript that is gone is said to be gone', async () => {
    const stateDir = makeTempFolder();
    const path = join(stateDir, 'agents/main/sessions/gone.jsonl');
    expect(await runOccHere(['info', path, '--state-dir', stateDir])).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: Session '${path}' not found\n  There is no file ${path}. Use 'occ list' to see available sessions\n`,
    });
  });
});

/** A session that a person has open in the real Claude Code, in a terminal. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiscoveredSession, SessionSelection } from '@openbot/claude-code';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { answer, CommandBench, missing, readEvents, readLastLine, waitFor } from '../setup/command-bench.ts';

describe.skipIf(missing !== undefined)(`a session that is open in Claude Code ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
    bench.script({});
  });
  afterAll(() => bench?.close());

  /** Resumes a session as a person does, and waits until Claude Code says that it has it open. */
  async function open(sessionId: string, cwd: string) {
    const { config, env } = bench.home;
    const answered = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [env.ANTHROPIC_API_KEY], rejected: [] },
      projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    };
    writeFileSync(join(config, '.claude.json'), JSON.stringify(answered));
    const binary = findClaudeBinary();
    const path = 'path' in binary ? binary.path : '';
    const command = `stty rows 40 cols 120; exec '${path}' --resume ${sessionId}`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { ...env, TERM: 'xterm-256color' },
    });
    terminal.stdout.resume();
    const folder = join(config, 'sessions');
    const pid = await waitFor(
      () => 'a Claude Code that has the session open',
      () => {
        for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
          const text = readFileSync(join(folder, name), 'utf8');
          if (text.includes(`"sessionId":"${sessionId}"`)) return Number.parseInt(name, 10);
        }
        return undefined;
      },
    );
    return { terminal, pid };
  }

  const list = async (cwd: string) =>
    JSON.parse((await bench.run(['cc', 'list', '--json'], { cwd })).stdout) as DiscoveredSession[];

  test('is shown so, is refused, is not chosen, and can be forked', LONG, async () => {
    const cwd = bench.makeRepo('opened');
    bench.script({ parser: () => answer('The parser is taught.') });
    const flags = ['--fresh', '--label', 'parser'];
    const first = await bench.run(['cc', 'run', 'teach the parser to read', ...flags], { cwd });
    const { sessionId } = readLastLine(first);
    expect(await list(cwd)).toMatchObject([{ sessionId, isOpen: false }]);

    const { terminal, pid } = await open(sessionId, cwd);
    expect(await list(cwd)).toMatchObject([{ sessionId, isRunning: false, isOpen: true }]);
    expect((await bench.run(['cc', 'list'], { cwd })).stdout).toMatch(/ {2}open {2}/);
    expect((await bench.run(['cc', 'status'], { cwd })).stdout).toMatch(/\n +open +[0-9a-f]{8} /);

    const before = readFileSync(transcriptOf(sessionId, cwd));
    const refused = await bench.run(['cc', 'run', 'teach it more', '--session', sessionId], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`Session ${sessionId} is open in Claude Code: process ${pid}`);
    expect(refused.stderr).toContain('--fork');
    expect(readFileSync(transcriptOf(sessionId, cwd))).toEqual(before);

    const task = 'teach the parser to read';
    const select = await bench.run(['cc', 'select', task, '--words', '--json'], { cwd });
    expect(JSON.parse(select.stdout) as SessionSelection).toMatchObject({
      action: 'fresh',
      reason: expect.stringContaining('it is open in Claude Code'),
      scores: [{ sessionId, ceiling: 'open' }],
    });

    // A label does not choose it either, nor is it taken away from it.
    const labelled = ['--label', 'parser'];
    const byLabel = await bench.run(['cc', 'select', task, ...labelled, '--json'], { cwd });
    expect(JSON.parse(byLabel.stdout) as SessionSelection).toMatchObject({
      action: 'queue',
      openSessionId: sessionId,
      reason: expect.stringContaining('it is open in Claude Code'),
    });
    expect((await bench.run(['cc', 'select', task, ...labelled], { cwd })).stdout).toContain(sessionId);
    const refusedByLabel = await bench.run(['cc', 'run', 'teach it more', ...labelled], { cwd });
    expect(refusedByLabel.code).toBe(1);
    expect(refusedByLabel.stderr).toContain(`Session ${sessionId} is open in Claude Code: process ${pid}`);
    expect(await list(cwd)).toMatchObject([{ sessionId, label: 'parser' }]);

    const args = ['cc', 'run', 'teach the parser to write', ...labelled, '--fork'];
    const events = readEvents(await bench.run([...args, '--json'], { cwd }));
    const started = events.find(({ type }) => type === 'started')!;
    expect(started).toMatchObject({ action: 'fork' });
    const outcome = events.at(-1)!;
    expect(outcome).toMatchObject({ type: 'ended', outcome: { result: 'success', turns: 1 } });
    if (outcome.type !== 'ended') throw new Error('not ended');
    const fork = outcome.outcome.sessionId!;
    expect(fork).not.toBe(sessionId);
    // What the copied part had cost is not this run's, but counts for the budget.
    expect(outcome.outcome.costUsd).toBeGreaterThan(0);
    expect(outcome.outcome.totalCostUsd).toBeCloseTo(2 * outcome.outcome.costUsd, 4);
    expect(readFileSync(transcriptOf(sessionId, cwd))).toEqual(before);
    const copied = bench.api.conversations.at(-1)!.messages;
    expect(JSON.stringify(copied)).toContain('teach the parser to read');
    expect(await list(cwd)).toEqual([
      expect.objectContaining({ sessionId, isOpen: true }),
      expect.objectContaining({ sessionId: fork, isOpen: false, source: 'openclaw', label: 'parser' }),
    ]);
    const byId = ['cc', 'run', 'teach the parser to count', '--session', sessionId.slice(0, 8), '--fork'];
    const again = readEvents(await bench.run([...byId, '--json'], { cwd }));
    expect(again.find(({ type }) => type === 'started')).toMatchObject({ action: 'fork' });
    expect(readFileSync(transcriptOf(sessionId, cwd))).toEqual(before);

    // Killed, it cannot take back what it published.
    process.kill(pid, 'SIGKILL');
    terminal.kill('SIGKILL');
    await waitFor(
      () => 'an end of the process',
      () => (isThere(pid) ? undefined : true),
    );
    expect(readdirSync(join(bench.home.config, 'sessions'))).toContain(`${pid}.json`);
    expect((await list(cwd)).map(({ isOpen }) => isOpen)).toEqual([false, false, false]);
    const resumed = await bench.run(['cc', 'run', 'teach it more', '--session', sessionId], { cwd });
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
  });

  test('--fork alone names nothing', async () => {
    const ran = await bench.run(['cc', 'run', 'x', '--fork'], { cwd: bench.makeRepo('none') });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('--fork needs --session or --label');
  });

  test('--fork with an unknown label is refused', async () => {
    const args = ['cc', 'run', 'x', '--fork', '--label', 'nobody'];
    const ran = await bench.run(args, { cwd: bench.makeRepo('nobody') });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain("has the label 'nobody'");
  });

  function transcriptOf(sessionId: string, cwd: string): string {
    const slug = cwd.replace(/[^a-zA-Z0-9]/g, '-');
    return join(bench.home.config, 'projects', slug, `${sessionId}.jsonl`);
  }
});

/** And not only waiting to be reaped. */
function isThere(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/[ZX]/.test(text.slice(text.lastIndexOf(')') + 2)[0]!);
  } catch {
    return false;
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const COMMANDS = [
  'occ list',
  'occ info 5e550a11',
  'occ edit 5e550a11 --strip-tools --dry-run',
  'occ edit 5e550a11 --strip-tools',
  'occ info 5e550a11',
  'occ restore 5e550a11',
  'occ clone 5e550a11 --strip-tools=aggressive',
];

describe('occ demo', () => {
  it('without a temp folder says what to do', async () => {
    const { code, stdout, stderr } = await runOcc(['demo', '--json'], { env: { TMPDIR: '/etc/passwd' } });
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({
      success: false,
      error: {
        code: 'UNEXPECTED',
        message: expect.stringMatching(/^Cannot make a folder in \/etc\/passwd: ENOTDIR/),
        hint: 'Name a folder that you may write to: TMPDIR=<folder> occ demo',
        reason: 'ENOTDIR',
      },
    });
  });

  it('shows the whole flow with real output, and leaves nothing behind', async () => {
    const temp = makeTempFolder();
    const home = makeTempFolder();
    const { code, stdout, stderr } = await runOcc(['demo'], { env: { HOME: home, TMPDIR: temp } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const typed = stdout.split('\n').filter((line) => line.startsWith('$ '));
    expect(typed).toEqual(COMMANDS.map((line) => `$ ${line}`));
    for (const said of [
      '3 sessions of agent main',
      '○ Would edit session: 5e550a11',
      '✓ Session edited: 5e550a11',
      '~/.openclaw/agents/main/sessions/backups/5e550a11-9c1d-4f6e-8a3b-0c7d2e9f4b61.backup.1.jsonl',
      '✓ Session restored: 5e550a11',
      'byte for byte what it was before the edit',
      '✓ Session cloned: 5e550a11',
      'Your own sessions were not read or changed.',
    ]) {
      expect(stdout).toContain(said);
    }
    expect(stdout).not.toMatch(/Error|undefined|NaN/);
    // Node itself keeps compiled modules there.
    expect(readdirSync(temp).filter((name) => name !== 'node-compile-cache')).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('with --json is one object of all results', async () => {
    const { code, stdout } = await runOcc(['demo', '--json'], { env: { TMPDIR: makeTempFolder() } });
    expect(code).toBe(0);
    const results = JSON.parse(stdout);
    expect(Object.keys(results)).toEqual([
      'list',
      'infoBefore',
      'dryRun',
      'edit',
      'infoAfter',
      'restore',
      'clone',
    ]);
    expect(Object.values(results).map((step) => (step as { command: string }).command)).toEqual(COMMANDS);
    const { infoBefore, dryRun, edit, infoAfter, restore, clone } = results;
    expect(infoBefore.result.turns.total).toBe(40);
    expect(dryRun.result).toMatchObject({ changed: false, dryRun: true });
    expect(edit.result).toMatchObject({ changed: true, statistics: dryRun.result.statistics });
    expect(infoAfter.result.tokens.context).toBe(edit.result.tokens.after);
    expect(infoAfter.result.tokens.context).toBeLessThan(infoBefore.result.tokens.context / 2);
    expect(restore.result.sizeAfter).toBe(infoBefore.result.sizeBytes);
    expect(clone.result.statistics.sizeOriginal).toBe(infoBefore.result.sizeBytes);
  });

  it('does not look at what the surroundings name', LONG, async () => {
    const stateDir = makeTempFolder();
    const path = writeSession(stateDir, 'main', 'mine', createSessionWithTurns(40, 2));
    const before = readFileSync(path);
    const { code, stdout } = await runOcc(['demo'], {
      env: {
        OPENCLAW_STATE_DIR: stateDir,
        OCC_STATE_DIRECTORY: stateDir,
        OCC_DEFAULT_AGENT_ID: 'other',
        CLAUDE_CODE_SESSION_ID: 'mine',
        OPENCLAW_SHELL: 'exec',
      },
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain('mine');
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(`${stateDir}/agents/main/sessions`).sort()).toEqual(['mine.jsonl', 'sessions.json']);
  });
});

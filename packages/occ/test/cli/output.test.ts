/** What edit and clone print, through the real command. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OccRun, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

const ID = 'abc12345-0000-4000-8000-000000000001';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-output-'));
  path = writeSession(
    join(folder, '.openclaw'),
    'main',
    ID,
    createSessionWithTurns(30, 1, { resultLength: 900 }),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const occ = (...args: string[]): Promise<OccRun> => runOccHere(args, { env: { HOME: folder }, cwd: folder });

describe('human output', () => {
  it('TC-7.1a default output is human-readable', async () => {
    const { stdout } = await occ('edit', ID, '--strip-tools');
    expect(stdout).toMatch(/^✓ Session edited: /);
    for (const label of ['Messages', 'Tool calls', 'Size', 'Backup']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${label}: \\S`, 'm'));
    }
    expect(() => JSON.parse(stdout)).toThrow();
  });

  it('TC-7.2a human output includes required fields', async () => {
    const { stdout } = await occ('edit', ID, '--strip-tools');
    expect(stdout).toContain(`✓ Session edited: ${ID}\n`);
    expect(stdout).toContain('  Messages: 120 → 110 (8% reduction)\n');
    expect(stdout).toContain('  Tool calls: 10 removed, 10 truncated, 10 preserved\n');
    expect(stdout).toMatch(/^ {2}Size: \d+ KB → \d+ KB \(\d+% reduction\)$/m);
    expect(stdout).toContain(`  Backup: ~/.openclaw/agents/main/sessions/backups/${ID}.backup.1.jsonl\n`);
  });

  it('TC-7.4a verbose shows detailed statistics', async () => {
    const { stdout } = await occ('edit', ID, '--strip-tools', '--verbose');
    expect(stdout).toContain('\nStatistics:\n  Messages:     120 → 110 (8% reduction)\n');
    expect(stdout).toMatch(
      /Tool calls: {3}30 total\n +10 removed \(oldest turns\)\n +10 truncated \(middle turns\)\n +10 preserved \(recent turns\)\n/,
    );
    expect(stdout).toContain('\nTurn Analysis:\n');
    for (const line of [
      'Total turns: 30 (all are kept)',
      'Turns with tools: 30, numbered from the oldest',
      '  Tool calls removed in: 10 turns (1-10)',
      '  Tool calls truncated in: 10 turns (11-20)',
      '  Tool calls preserved in: 10 turns (21-30)',
    ]) {
      expect(stdout).toContain(`  ${line}\n`);
    }
  });

  it('TC-7.5a success returns exit code 0', async () => {
    expect(await occ('edit', ID, '--strip-tools')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('JSON output', () => {
  it('TC-7.3a JSON output is complete', async () => {
    const { code, stdout, stderr } = await occ('clone', ID, '--strip-tools', '--json');
    expect([code, stderr]).toEqual([0, '']);
    const result = JSON.parse(stdout);
    expect(result).toEqual({
      success: true,
      mode: 'clone',
      sourceSessionId: ID,
      sourceSessionKey: `agent:main:test:${ID}`,
      foundBy: 'argument',
      agentId: 'main',
      clonedSessionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      clonedSessionPath: join(folder, `.openclaw/agents/main/sessions/${result.clonedSessionId}.jsonl`),
      sessionKey: `agent:main:clone:${result.clonedSessionId}`,
      statistics: {
        messagesOriginal: 120,
        messagesCloned: 110,
        toolCallsOriginal: 30,
        toolCallsRemoved: 10,
        toolCallsTruncated: 10,
        toolCallsPreserved: 10,
        sizeOriginal: readFileSync(path).length,
        sizeCloned: readFileSync(result.clonedSessionPath).length,
        reductionPercent: expect.any(Number),
      },
      tokens: { before: expect.any(Number), after: expect.any(Number), basis: expect.any(String) },
      resumeCommand: expect.stringContaining(result.clonedSessionId),
    });
  });

  it('of an edit that was only planned says so, and nothing is written', async () => {
    const before = readFileSync(path);
    const { code, stdout } = await occ('edit', ID, '--strip-tools=extreme', '--dry-run', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      mode: 'edit',
      changed: false,
      dryRun: true,
      statistics: { toolCallsRemoved: 30, messagesAfter: 90 },
    });
    expect(JSON.parse(stdout)).not.toHaveProperty('backupPath');
    expect(readFileSync(path)).toEqual(before);
  });
});

describe('flags of a clean', () => {
  const plan = async (...flags: string[]) => {
    const { stdout } = await occ('edit', ID, '--dry-run', '--json', ...flags);
    const { toolCallsRemoved, toolCallsTruncated } = JSON.parse(stdout).statistics;
    return [toolCallsRemoved, toolCallsTruncated];
  };

  it.each([
    [['--strip-tools'], [10, 10]],
    [['--strip-tools=aggressive'], [20, 5]],
    [['--strip-tools=extreme'], [30, 0]],
    [
      ['--keep', '4'],
      [26, 2],
    ],
    [
      ['--truncate', '0'],
      [10, 0],
    ],
    [
      ['--keep', '6', '--truncate', '100'],
      [24, 6],
    ],
    [
      ['--strip-tools=aggressive', '--truncate', '0'],
      [20, 0],
    ],
    [
      ['--strip-tools=extreme', '--keep', '1'],
      [29, 0],
    ],
  ])('%j', async (flags, removedAndTruncated) => {
    expect(await plan(...flags)).toEqual(removedAndTruncated);
  });
});

describe('restore', () => {
  it('lists the backups, newest first, as text and as JSON', async () => {
    expect((await occ('restore', ID, '--list')).stdout).toContain('No backups');
    expect(JSON.parse((await occ('restore', ID, '--list', '--json')).stdout)).toEqual([]);
    await occ('edit', ID, '--strip-tools');
    await occ('edit', ID, '--strip-tools=extreme');
    const { code, stdout } = await occ('restore', ID, '--list', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { number: 2, madeBefore: 'edit' },
      { number: 1, madeBefore: 'edit', path: join(dirname(path), 'backups', `${ID}.backup.1.jsonl`) },
    ]);
    expect((await occ('restore', '--list')).stdout).toMatch(/#2 .*\n.*#1 /);
  });

  it('puts a backup back by its number', async () => {
    const before = readFileSync(path);
    await occ('edit', ID, '--strip-tools');
    await occ('edit', ID, '--strip-tools=extreme');
    const { code, stdout } = await occ('restore', ID, '--backup', '1', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { success: true, mode: 'restore', sessionId: ID }]);
    expect(readFileSync(path)).toEqual(before);
  });
});

it('a clone goes to the file that is named, counted from the current folder', async () => {
  const { code, stdout } = await occ('clone', ID, '-o', 'copy.jsonl', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).clonedSessionPath).toBe(join(folder, 'copy.jsonl'));
  expect(existsSync(join(folder, 'copy.jsonl'))).toBe(true);
});

import { expect, it } from 'vitest';
import { formatClone } from '../../src/report/clone.ts';
import { formatBackups, formatRestore } from '../../src/report/restore.ts';
import { cloneOutcome, PLAIN, restoreOutcome, SESSION, VERBOSE } from './outcomes.ts';

it('the report of a clone says what it contains, where it is and how to resume it', () => {
  expect(formatClone(cloneOutcome(), PLAIN)).toBe(`✓ Session cloned: abc123-def456 → xyz789-uvw012
  Messages: 45 → 38 (16% reduction)
  Tool calls: 12 removed, 5 truncated, 8 preserved
  Context: 184,000 → 61,200 tokens (67% less, calibrated)
  Size: 125 KB → 98 KB (22% reduction)
  Path: ~/.openclaw/agents/main/sessions/xyz789-uvw012.jsonl
  Key: agent:main:clone:xyz789-uvw012
  Resume: openclaw agent --session-id xyz789-uvw012
`);
  expect(formatClone(cloneOutcome(), VERBOSE)).toContain('\nTurn Analysis:\n');
});

it('a clone that is in no index has neither key nor a command to resume it', () => {
  const { sessionKey: _, resumeCommand: __, ...result } = cloneOutcome().result;
  const text = formatClone({ ...cloneOutcome(), result }, PLAIN);
  expect(text).toMatch(/Path: .*\n$/);
  expect(text).not.toMatch(/Key:|Resume:/);
});

it('a clone that is only tried says so', () => {
  const text = formatClone({ ...cloneOutcome({ dryRun: true }), foundBy: 'most-recent' }, PLAIN);
  expect(text).toMatch(/^○ Would clone session: abc123-def456 \(dry run\)\n {2}Chosen: the most recently/);
  expect(text).toMatch(/\n {2}Nothing was written\.\n$/);
});

it('the report of a restore says what was restored, what was kept and how to undo it', () => {
  expect(formatRestore(restoreOutcome(), PLAIN)).toBe(`✓ Session restored: abc123-def456
  From: ~/.openclaw/agents/main/sessions/abc123-def456.backup.1.jsonl
  Size: 98 KB → 126 KB
  Added since the backup: 4 lines, kept after the restored ones
  The model reads: 21 messages, 10 tool calls, 10 results, 12,300 tokens (recorded)
  Backup: ~/.openclaw/agents/main/sessions/abc123-def456.backup.2.jsonl
  Undo: occ restore abc123-def456
`);
  expect(formatRestore(restoreOutcome({ linesKept: 1 }), PLAIN)).toContain(
    'Added since the backup: 1 line, kept',
  );
  expect(formatRestore(restoreOutcome({ linesKept: 0 }), PLAIN)).toContain(
    'Added since the backup: no lines\n',
  );
});

it('the report of a restore has its note before the command that undoes it', () => {
  const text = formatRestore(restoreOutcome({ note: 'It counts from the next resume.' }), PLAIN);
  expect(text).toMatch(/\n {2}Backup: .*\n {2}It counts from the next resume\.\n {2}Undo: /);
});

it('backups are listed newest first, with what they were made for', () => {
  const folder = '/home/user/.openclaw/agents/main/sessions';
  const backup = (number: number, madeBefore: 'edit' | 'restore' | 'unknown', sizeBytes: number) => ({
    number,
    path: `${folder}/abc123-def456.backup.${number}.jsonl`,
    sizeBytes,
    createdAt: Date.UTC(2026, 10, 15, 20, number),
    madeBefore,
  });
  const list = [backup(9, 'edit', 128_000), backup(10, 'restore', 2048), backup(8, 'unknown', 99)];
  expect(formatBackups(SESSION.sessionId, list, PLAIN)).toBe(`Backups of abc123-def456, newest first:
  #10  2026-11-15 20:10 UTC  2.0 KB  before a restore     ~/.openclaw/agents/main/sessions/abc123-def456.backup.10.jsonl
  #9   2026-11-15 20:09 UTC  125 KB  before an edit       ~/.openclaw/agents/main/sessions/abc123-def456.backup.9.jsonl
  #8   2026-11-15 20:08 UTC    99 B  reason not recorded  ~/.openclaw/agents/main/sessions/abc123-def456.backup.8.jsonl
Restore one with --backup <number> instead of --list.
`);
  expect(formatBackups(SESSION.sessionId, [], PLAIN)).toBe(
    'No backups of abc123-def456: the session has not been edited.\n',
  );
});

it('an exact clone is larger by the name of its source', () => {
  const { result, ...outcome } = cloneOutcome();
  const statistics = { ...result.statistics, sizeOriginal: 1000, sizeCloned: 1100 };
  const text = formatClone({ ...outcome, result: { ...result, statistics } }, PLAIN);
  expect(text).toContain('  Size: 1.0 KB → 1.1 KB (it names its source)\n');
});

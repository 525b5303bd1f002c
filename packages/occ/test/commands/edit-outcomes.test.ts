/** Edits that change nothing, or are only planned. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { takeFileSnapshot, takeSnapshot } from './snapshot.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';

let state: StateFolder;
beforeEach(() => {
  state = makeStateFolder();
});

const STATISTICS = [
  'messagesOriginal',
  'messagesAfter',
  'toolCallsOriginal',
  'toolCallsRemoved',
  'toolCallsTruncated',
  'toolCallsPreserved',
  'sizeOriginal',
  'sizeAfter',
  'reductionPercent',
];

describe('--dry-run', () => {
  it('writes nothing, and reports what the edit then does', async () => {
    const path = state.add(thirtyTurns({ usage: true }), { entry: { totalTokens: 90_000 } });
    const before = takeSnapshot(state.home);
    const planned = await state.json('edit', ID, '--strip-tools', '--dry-run');
    expect(takeSnapshot(state.home)).toEqual(before);
    expect(Object.keys(planned)).toEqual([
      'success',
      'mode',
      'sessionId',
      'foundBy',
      'sessionKey',
      'agentId',
      'statistics',
      'tokens',
      'changed',
      'dryRun',
    ]);
    expect(planned).toMatchObject({ changed: false, dryRun: true });
    const done = await state.json('edit', ID, '--strip-tools');
    expect(planned.statistics).toEqual(done.statistics);
    expect(planned.tokens).toEqual(done.tokens);
    expect(done.statistics.sizeAfter).toBe(readFileSync(path).length);
  });

  it('says so to people', async () => {
    state.add(thirtyTurns());
    const { code, stdout } = await state.occ('edit', ID, '--strip-tools', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain(`Would edit session: ${ID} (dry run)`);
    expect(stdout).toContain('Nothing was written.');
    expect(stdout).not.toContain('Backup');
  });

  it('needs no writable folder and no free session', async () => {
    const lines = [
      ...thirtyTurns(),
      { type: 'message', timestamp: 1, message: { role: 'user', content: 'unanswered, a moment ago' } },
    ];
    state.add(lines);
    const before = takeSnapshot(state.home);
    expect(await state.json('edit', ID, '--strip-tools', '--dry-run')).toMatchObject({
      dryRun: true,
      statistics: { toolCallsRemoved: 10 },
    });
    expect(takeSnapshot(state.home)).toEqual(before);
  });

  it('of a clone writes nothing either', async () => {
    state.add(thirtyTurns());
    const before = takeSnapshot(state.home);
    const planned = await state.json('clone', ID, '--strip-tools', '--dry-run');
    expect(takeSnapshot(state.home)).toEqual(before);
    expect(planned).toMatchObject({ success: true, mode: 'clone', dryRun: true, sourceSessionId: ID });
    const { statistics, tokens } = await state.json('clone', ID, '--strip-tools');
    expect({ ...planned.statistics, sizeCloned: 0 }).toEqual({ ...statistics, sizeCloned: 0 });
    // Only the moment of cloning and the new id differ, and those have one length.
    expect(planned.statistics.sizeCloned).toBe(statistics.sizeCloned);
    expect(planned.tokens).toEqual(tokens);
  });
});

describe('nothing to shrink', () => {
  const expectUntouched = async (...flags: string[]) => {
    const before = takeFileSnapshot(state.home);
    const result = await state.json('edit', ID, ...flags);
    expect(takeFileSnapshot(state.home)).toEqual(before);
    return result;
  };

  it('no turn is old enough: exit 0, unchanged, no backup', async () => {
    state.add(createSessionWithTurns(5));
    const result = await expectUntouched('--strip-tools');
    expect(Object.keys(result)).toEqual([
      'success',
      'mode',
      'sessionId',
      'foundBy',
      'sessionKey',
      'agentId',
      'statistics',
      'tokens',
      'changed',
      'note',
    ]);
    expect(Object.keys(result.statistics)).toEqual(STATISTICS);
    expect(result).toMatchObject({
      success: true,
      changed: false,
      statistics: { toolCallsRemoved: 0, toolCallsTruncated: 0, toolCallsPreserved: 5, reductionPercent: 0 },
    });
    expect(result.statistics.sizeAfter).toBe(result.statistics.sizeOriginal);
    expect(result.tokens.after).toBe(result.tokens.before);
    expect(state.names()).toEqual([`${ID}.jsonl`, 'sessions.json']);
  });

  it('says so to people, and exits with 0', async () => {
    state.add(createSessionWithTurns(5));
    const { code, stdout, stderr } = await state.occ('edit', ID, '--strip-tools');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Session not changed: ${ID}\n  Nothing to clean: `);
    expect(stdout).not.toContain('Backup');
  });

  it.each(['default', 'aggressive', 'extreme'])(
    'cleaned by %s a second time, nothing changes',
    async (preset) => {
      state.add(thirtyTurns({ usage: true, tree: true }), { entry: { totalTokens: 90_000 } });
      expect(await state.json('edit', ID, `--strip-tools=${preset}`)).toMatchObject({ changed: true });
      expect(await expectUntouched(`--strip-tools=${preset}`)).toMatchObject({ changed: false });
    },
  );

  it('results that are short already are not made longer by a marker', async () => {
    state.add(createSessionWithTurns(20));
    const result = await expectUntouched('--keep', '20', '--truncate', '100');
    expect(result).toMatchObject({ changed: false, statistics: { toolCallsTruncated: 0 } });
  });
});

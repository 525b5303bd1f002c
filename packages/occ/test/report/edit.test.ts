import { paletteFor } from '@openbot/sessions/terminal-text';
import { describe, expect, it } from 'vitest';
import { formatEdit } from '../../src/report/edit.ts';
import { editOutcome, PLAIN, SESSION, UNCHANGED, unwrittenOutcome, VERBOSE } from './outcomes.ts';

it('an edit reports what was removed, what it saved and how to undo it', () => {
  expect(formatEdit(editOutcome(), PLAIN)).toBe(`✓ Session edited: abc123-def456
  Messages: 45 → 38 (16% reduction)
  Tool calls: 12 removed, 5 truncated, 8 preserved
  Context: 184,000 → 61,200 tokens (67% less, calibrated)
  Size: 125 KB → 98 KB (22% reduction)
  Backup: ~/.openclaw/agents/main/sessions/abc123-def456.backup.1.jsonl
  Undo: occ restore abc123-def456
`);
});

it('--verbose adds the statistics and the turn analysis', () => {
  expect(formatEdit(editOutcome(), VERBOSE)).toBe(`✓ Session edited: abc123-def456
  Preset: aggressive (keep the newest 10 turns with tools, truncate the oldest 50% of them)
  Path: ~/.openclaw/agents/main/sessions/abc123-def456.jsonl

Statistics:
  Messages:     45 → 38 (16% reduction)
  Tool calls:   25 total
                12 removed (oldest turns)
                5 truncated (middle turns)
                8 preserved (recent turns)
  Context:      184,000 → 61,200 tokens (67% less, calibrated)
  Size:         125 KB → 98 KB (22% reduction)

Turn Analysis:
  Total turns: 18 (all are kept)
  Turns with tools: 15, numbered from the oldest
    Tool calls removed in: 5 turns (1-5)
    Tool calls truncated in: 5 turns (6-10)
    Tool calls preserved in: 5 turns (11-15)

Backup: ~/.openclaw/agents/main/sessions/abc123-def456.backup.1.jsonl
Undo: occ restore abc123-def456
`);
});

it('a count of zero turns has no range, and a single turn has its number', () => {
  const plan = {
    ...editOutcome().plan,
    turnsWithToolsTotal: 1,
    turnsWithToolsRemoved: 1,
    turnsWithToolsTruncated: 0,
    turnsWithToolsPreserved: 0,
  };
  const options = { keepTurnsWithTools: 0, truncatePercent: 0 };
  const text = formatEdit(editOutcome({}, { plan, options, presetName: undefined }), VERBOSE);
  expect(text).toContain(
    'Tool calls removed in: 1 turn (1)\n    Tool calls truncated in: none\n    Tool calls preserved in: none\n',
  );
  expect(text).toContain('  Rule: remove all tool calls\n');
});

it('nothing to clean: says so and why, without a backup or an undo', () => {
  const text = formatEdit(unwrittenOutcome(UNCHANGED), PLAIN);
  expect(text).toBe(`• Session not changed: abc123-def456
  There is nothing older than the 20 turns that stay.
  Messages: 45 (unchanged)
  Tool calls: 0 removed, 0 truncated, 8 preserved
  Context: 61,200 tokens (unchanged, recorded)
  Size: 125 KB (unchanged)
`);
});

it('a session without tool calls says that there are none', () => {
  const statistics = { ...UNCHANGED.statistics!, toolCallsOriginal: 0, toolCallsPreserved: 0 };
  expect(formatEdit(unwrittenOutcome({ ...UNCHANGED, statistics }), PLAIN)).toContain('  Tool calls: none\n');
});

describe('removed results without a call', () => {
  const statistics = { ...editOutcome().result.statistics, orphanedResultsRemoved: 1234 };

  it.each([
    ['plain', PLAIN],
    ['verbose', VERBOSE],
  ])('%s: they are told beside the calls', (_, options) => {
    const text = formatEdit(editOutcome({ statistics }), options);
    expect(text).toContain('  Results without a call: 1,234 removed\n');
    expect(formatEdit(editOutcome(), options)).not.toContain('Results without a call');
  });
});

describe('a dry run', () => {
  it('says what would happen, and that nothing was changed', () => {
    const lines = formatEdit(unwrittenOutcome({ changed: false, dryRun: true }), PLAIN).split('\n');
    expect(lines[0]).toBe('○ Would edit session: abc123-def456 (dry run)');
    expect(lines).toContain('  Tool calls: 12 removed, 5 truncated, 8 preserved');
    expect(lines.slice(-2)).toEqual(['  Nothing was written.', '']);
  });

  it('that would change nothing says so and why', () => {
    const text = formatEdit(unwrittenOutcome({ ...UNCHANGED, dryRun: true }), PLAIN);
    expect(text).toMatch(/^• Would change nothing: abc123-def456 \(dry run\)\n {2}There is nothing older/);
  });

  it('contains a note too', () => {
    const text = formatEdit(unwrittenOutcome({ changed: false, dryRun: true, note: 'It is in use.' }), PLAIN);
    expect(text).toContain('  It is in use.\n');
  });
});

it.each([PLAIN, VERBOSE])(
  'a scheduled edit says what happens next and where the result will be',
  (options) => {
    const note = 'The run that called this command holds the session.';
    const text = formatEdit(unwrittenOutcome({ changed: false, scheduled: true, note }), options);
    expect(text).toMatch(/^… Edit scheduled: abc123-def456\n/);
    expect(text).toContain(`  ${note}\n`);
    expect(text).toContain('As the session is now, it would come to:');
    expect(text).toContain('Nothing has changed yet.\n');
    expect(text).toMatch(/Result: occ info abc123-def456\n$/);
  },
);

describe('a session that was not named', () => {
  it.each([
    ['most-recent', 'the most recently active session of agent main (agent:main:main)'],
    ['calling-command', 'the session that is running this command (agent:main:main)'],
    ['environment', 'the session that this shell belongs to'],
  ] as const)('%s: the output says which and how', (foundBy, chosen) => {
    const text = formatEdit(editOutcome({}, { foundBy }), PLAIN);
    expect(text.split('\n').slice(0, 2)).toEqual(['✓ Session edited: abc123-def456', `  Chosen: ${chosen}`]);
  });

  it('is called by its label where it has one, and by its source where it has no agent', () => {
    const labelled = { ...SESSION, label: 'garden \u001b[31m' };
    expect(formatEdit(editOutcome({}, { foundBy: 'most-recent', session: labelled }), PLAIN)).toContain(
      'of agent main (garden �[31m)',
    );
    const claude = { ...SESSION, source: 'claude', agentId: null } as const;
    const { sessionKey: _, ...keyless } = claude;
    expect(formatEdit(editOutcome({}, { foundBy: 'most-recent', session: keyless }), PLAIN)).toContain(
      'the most recently active session of Claude Code in this folder\n',
    );
  });
});

it.each([
  [{ source: 'pi', agentId: null }, 'occ restore abc123-def456 --source pi'],
  [{ source: 'claude', agentId: null }, 'occ restore abc123-def456 --source claude'],
  [{ source: 'openclaw', agentId: 'work' }, 'occ restore abc123-def456 --agent work'],
] as const)('the way back finds the session again: %o', (place, command) => {
  const text = formatEdit(editOutcome({}, { session: { ...SESSION, ...place } }), PLAIN);
  expect(text).toContain(`  Undo: ${command}\n`);
});

const SESSIONS = '/home/user/.openclaw/agents/main/sessions';

it.each([
  ['another default source', {}, { defaultSource: 'claude' }, 'abc123-def456 --source openclaw'],
  ['another default agent', {}, { defaultAgentId: 'work' }, 'abc123-def456 --agent main'],
  ['no default agent', {}, { defaultAgentId: '' }, 'abc123-def456 --agent main'],
  ['a default agent that is its own', { agentId: 'work' }, { defaultAgentId: 'work' }, 'abc123-def456'],
  ['both', {}, { defaultSource: 'claude', defaultAgentId: 'work' }, 'abc123-def456 --agent main'],
  [
    'a state folder, which means openclaw',
    {},
    { defaultSource: 'claude', flags: ['--state-dir', '/s t'] },
    "abc123-def456 --state-dir '/s t'",
  ],
  [
    'a state folder, which a session of pi does not go with',
    { source: 'pi', agentId: null },
    { flags: ['--state-dir', '/s'] },
    'abc123-def456 --source pi',
  ],
  ['a topic', { path: `${SESSIONS}/abc123-def456-topic-42.jsonl` }, {}, 'abc123-def456-topic-42'],
  [
    'a topic whose name has to be quoted',
    { path: `${SESSIONS}/abc123-def456-topic-a%20b.jsonl` },
    { defaultSource: 'claude' },
    `${SESSIONS}/abc123-def456-topic-a%20b.jsonl`,
  ],
  ['a path', {}, { byPath: true, defaultSource: 'claude' }, SESSION.path],
] as const)('the way back from a shell with %s', (_, place, again, command) => {
  const text = formatEdit(editOutcome({}, { session: { ...SESSION, ...place } }), { ...PLAIN, again });
  expect(text).toContain(`  Undo: occ restore ${command}\n`);
});

it.each([
  [1, 0, 'keep the newest 1 turn with tools, truncate nothing'],
  [1, 50, 'keep the newest 1 turn with tools, truncate nothing'],
  [1, 100, 'keep the newest 1 turn with tools, truncate it'],
  [5, 0, 'keep the newest 5 turns with tools, truncate nothing'],
  [5, 100, 'keep the newest 5 turns with tools, truncate all of them'],
  [5, 50, 'keep the newest 5 turns with tools, truncate the oldest 50% of them'],
])('%i turns and %i percent in words', (keepTurnsWithTools, truncatePercent, rule) => {
  const options = { keepTurnsWithTools, truncatePercent };
  expect(formatEdit(editOutcome({}, { options, presetName: undefined }), VERBOSE)).toContain(
    `  Rule: ${rule}\n`,
  );
  expect(formatEdit(editOutcome({}, { options, presetName: 'mine' }), VERBOSE)).toContain(
    `  Preset: mine (${rule})\n`,
  );
});

it('colour changes nothing but colour', () => {
  const coloured = formatEdit(editOutcome(), { ...PLAIN, palette: paletteFor(true) });
  expect(coloured).toContain('\u001b[32m✓\u001b[39m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is taken out
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(formatEdit(editOutcome(), PLAIN));
});

import { paletteFor } from '@openbot/sessions/terminal-text';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_PRESETS } from '../../src/clean/presets.ts';
import type { SessionInfo } from '../../src/operations/results.ts';
import { formatInfo } from '../../src/report/info.ts';
import { recommendPreset } from '../../src/report/recommendation.ts';
import { editOutcome, INFO, PLAIN, SESSION, VERBOSE } from './outcomes.ts';

const FOUND = { session: SESSION, foundBy: 'argument', presets: BUILT_IN_PRESETS } as const;
const EMPTY: SessionInfo = {
  ...INFO,
  sizeBytes: 120,
  messages: { total: 0, user: 0, assistant: 0, toolResult: 0, other: 0 },
  turns: { total: 0, withTools: 0 },
  toolCalls: { total: 0, byTool: {} },
  tokens: {
    context: 0,
    basis: 'estimated',
    byKind: { user: 0, assistant: 0, thinking: 0, toolCalls: 0, toolResults: 0, other: 0, overhead: 0 },
    byTool: {},
  },
  compactions: 0,
  presets: { default: { tokensAfter: 0, toolCallsRemoved: 0, toolCallsTruncated: 0 } },
};
const withPresets = (tokensAfter: Record<string, number>): SessionInfo => ({
  ...INFO,
  presets: Object.fromEntries(
    Object.entries(tokensAfter).map(([name, after]) => [
      name,
      { tokensAfter: after, toolCallsRemoved: 1, toolCallsTruncated: 0 },
    ]),
  ),
});

it('shows where the context goes and what each preset would leave', () => {
  expect(formatInfo(INFO, FOUND, PLAIN)).toBe(`Session: abc123-def456
  Source: OpenClaw, agent main
  Key: agent:main:main
  Path: ~/.openclaw/agents/main/sessions/abc123-def456.jsonl
  Size: 125 KB
  Messages: 75 (18 user, 32 assistant, 25 tool results)
  Turns: 18 (15 with tools)
  Tool calls: 25
  Compactions: 1
  Context: 100,000 tokens (recorded)

Where the context goes (tokens)
  tool results          ███████████████████▎              60,000   60%
  system prompt, tools  ██████▍                           20,000   20%
  assistant             ██▉                                9,000    9%
  tool calls            █▉                                 6,000    6%
  people                █▋                                 5,000    5%

By tool (calls and their results)
  read  ████████████████                  50,000   50%  15 calls
  exec  █████▏                            16,000   16%  10 calls

What each preset would leave (tokens)
  default     ████████████████▏  95,000   95%  5% less: 0 removed, 7 truncated
  aggressive  ███████████▉       70,000   70%  30% less: 8 removed, 9 truncated
  extreme     █████▊             34,000   34%  66% less: 25 removed, 0 truncated

Recommendation: occ edit abc123-def456 --strip-tools=aggressive
  It frees about 30,000 tokens, 30% of the context, and can be undone with occ restore.
`);
});

describe('in a terminal', () => {
  it.each([120, 80, 60, 46, 40])('%d columns wide the figures stay within it', (columns) => {
    const lines = formatInfo(INFO, FOUND, { ...PLAIN, columns }).split('\n');
    const tables = lines.filter((line) => / \d+%/.test(line) && !line.startsWith('  It'));
    expect(tables).toHaveLength(10);
    for (const line of tables) expect(line.length).toBeLessThanOrEqual(columns);
    expect(tables[0]).toMatch(/tool results.* 60,000 {3}60%$/);
  });

  it('too narrow for bars they go, the figures do not', () => {
    const text = formatInfo(INFO, FOUND, { ...PLAIN, columns: 20 });
    expect(text).not.toContain('█');
    expect(text).toContain('  tool results          60,000   60%\n');
  });

  it('colour changes nothing but colour', () => {
    const coloured = formatInfo(INFO, FOUND, { ...PLAIN, palette: paletteFor(true) });
    expect(coloured).toContain('\u001b[36m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is taken out
    expect(coloured.replace(/\u001b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(formatInfo(INFO, FOUND, PLAIN));
  });
});

it('an empty session is all zeros, and left alone', () => {
  expect(formatInfo(EMPTY, FOUND, PLAIN)).toMatch(
    /Size: 120 B\n {2}Messages: 0 \(0 user, 0 assistant, 0 tool results\)\n {2}Turns: 0 \(0 with tools\)\n {2}Tool calls: 0\n {2}Compactions: 0\n {2}Context: 0 tokens \(estimated\)\n\nRecommendation: do not clean; there are no tool calls to clean\.\n$/,
  );
});

it('--verbose says what the presets do', () => {
  const text = formatInfo(INFO, FOUND, VERBOSE);
  expect(text).toContain('  default: keep the newest 20 turns with tools, truncate the oldest 50% of them\n');
  expect(text).toContain('  extreme: remove all tool calls\n');
});

it('many tools are cut short unless all are asked for', () => {
  const names = Array.from({ length: 12 }, (_, i) => `tool_${i}`);
  const byTool = Object.fromEntries(names.map((name, i) => [name, 1000 - i]));
  const info = { ...INFO, tokens: { ...INFO.tokens, byTool } };
  const text = formatInfo(info, FOUND, PLAIN);
  expect(text).toContain('tool_7');
  expect(text).not.toContain('tool_8');
  expect(text).toContain('  and 4 more tools (--verbose)\n');
  expect(formatInfo(info, FOUND, VERBOSE)).toContain('tool_11');
});

it('names from outside are shortened and made harmless', () => {
  const name = `mcp__${'x'.repeat(60)}_end`;
  const info = { ...INFO, tokens: { ...INFO.tokens, byTool: { [name]: 10, 'a\u001b[1mb': 5 } } };
  const text = formatInfo(info, FOUND, PLAIN);
  expect(text).toContain(`  ${name.slice(0, 9)}…${name.slice(-18)}  `);
  expect(text).toContain('a�[1mb');
});

it('says which session was chosen, what else it is called, and that lines are broken', () => {
  const session = { ...SESSION, label: 'garden', displayName: 'Alice' };
  const text = formatInfo(
    { ...INFO, brokenLines: 2 },
    { ...FOUND, session, foundBy: 'most-recent' },
    VERBOSE,
  );
  expect(text).toContain('  Chosen: the most recently active session of agent main (garden)\n');
  expect(text).toContain('  Label: garden\n  Name: Alice\n');
  expect(text).toContain('  Working folder: ~/garden\n  Last change: 2026-11-15 20:58 UTC\n');
  expect(text).toContain('  Broken lines: 2 (kept as they are)\n');
});

it('a share that is hardly there is not called one percent', () => {
  const info = { ...INFO, tokens: { ...INFO.tokens, byTool: { read: 499, exec: 500, grep: 0 } } };
  const text = formatInfo(info, FOUND, PLAIN);
  expect(text).toMatch(/read .* 499 {2} <1%/);
  expect(text).toMatch(/exec .* 500 {3} 1%/);
  expect(text).toMatch(/grep .* 0 {3} 0%/);
});

it('a preset with a name that a shell would split is quoted', () => {
  const info = withPresets({ "it's mine": 60_000 });
  expect(formatInfo(info, FOUND, PLAIN)).toContain("occ edit abc123-def456 '--strip-tools=it'\\''s mine'");
});

describe('recommendation', () => {
  it('takes the gentlest preset that frees a quarter', () => {
    const info = withPresets({ default: 74_000, aggressive: 50_000, extreme: 30_000 });
    expect(recommendPreset(info, BUILT_IN_PRESETS).preset).toBe('default');
  });
  it('takes custom presets into account', () => {
    const info = withPresets({ default: 95_000, aggressive: 60_000, extreme: 30_000, 'in between': 70_000 });
    expect(recommendPreset(info, BUILT_IN_PRESETS).preset).toBe('in between');
  });
  it('takes what frees most where nothing frees a quarter', () => {
    expect(recommendPreset(withPresets({ default: 95_000, aggressive: 88_000 }), BUILT_IN_PRESETS)).toEqual({
      preset: 'aggressive',
      reason: 'frees about 12,000 tokens, 12% of the context',
    });
  });
  it('recommends nothing for little', () => {
    expect(recommendPreset(withPresets({ default: 99_000, aggressive: 92_000 }), BUILT_IN_PRESETS)).toEqual({
      reason: 'cleaning would free 8% at most',
    });
    expect(recommendPreset(withPresets({ default: 100_000 }), BUILT_IN_PRESETS).reason).toBe(
      'no preset would free anything',
    );
  });
  it('recommends nothing where there is room: details are worth more than space', () => {
    const info = withPresets({ default: 10_000 });
    const small = { ...info, tokens: { ...info.tokens, context: 49_999 } };
    expect(recommendPreset(small, BUILT_IN_PRESETS)).toEqual({
      reason: '49,999 tokens leave room in most context windows',
    });
    const known = { ...small, window: { tokens: 200_000, percent: 25 } };
    expect(recommendPreset(known, BUILT_IN_PRESETS)).toEqual({
      reason: '49,999 tokens are 25% of the window',
    });
  });
  it('leaves the removal of every tool call to the reader', () => {
    const info = withPresets({ default: 95_000, extreme: 30_000 });
    expect(recommendPreset(info, BUILT_IN_PRESETS)).toEqual({
      reason: 'only extreme would free much (70%), by removing every tool call',
    });
  });
});

it('a preset that shortens output only outside of tool calls says so', () => {
  const info = {
    ...INFO,
    presets: { default: { tokensAfter: 98_800, toolCallsRemoved: 0, toolCallsTruncated: 0 } },
  };
  expect(formatInfo(info, FOUND, PLAIN)).toMatch(/98,800 {3}99% {2}1% less, outside of tool calls\n/);
});

it('a preset that would change nothing says so', () => {
  const info = {
    ...INFO,
    presets: { default: { tokensAfter: 100_000, toolCallsRemoved: 0, toolCallsTruncated: 0 } },
  };
  expect(formatInfo(info, FOUND, PLAIN)).toMatch(/default .*100,000 {2}100% {2}nothing to clean\n/);
});

describe('the last scheduled edit', () => {
  const requestedAt = '2026-11-15T20:58:01.000Z';
  const finishedAt = '2026-11-15T21:02:09.000Z';
  const tail = (lastScheduledEdit: NonNullable<SessionInfo['lastScheduledEdit']>) =>
    formatInfo({ ...INFO, lastScheduledEdit }, FOUND, PLAIN)
      .split('\n\n')
      .at(-1);

  it('that waits', () => {
    expect(tail({ state: 'waiting', requestedAt })).toBe(
      'Last scheduled edit: waiting since 2026-11-15 20:58 UTC for the run to end\n',
    );
  });
  it('that is done', () => {
    const { result } = editOutcome();
    expect(tail({ state: 'done', requestedAt, finishedAt, result })).toBe(
      `Last scheduled edit: done at 2026-11-15 21:02 UTC
  Tool calls: 12 removed, 5 truncated
  Context: 184,000 → 61,200 tokens (calibrated)
  Backup: ~/.openclaw/agents/main/sessions/abc123-def456.backup.1.jsonl
`,
    );
  });
  it('that had nothing to do', () => {
    const { result } = editOutcome({ changed: false, note: 'Nothing to shrink.' });
    expect(tail({ state: 'done', requestedAt, finishedAt, result })).toBe(
      'Last scheduled edit: done at 2026-11-15 21:02 UTC, nothing was changed: Nothing to shrink.\n',
    );
  });
  it('that failed', () => {
    const error = { code: 'EDIT_FAILED', message: 'Failed to write x', hint: 'Check disk space' };
    expect(tail({ state: 'failed', requestedAt, finishedAt, error })).toBe(
      'Last scheduled edit: failed at 2026-11-15 21:02 UTC: Failed to write x\n  Check disk space\n',
    );
    expect(tail({ state: 'failed', requestedAt })).toContain('no reason was recorded');
  });
});

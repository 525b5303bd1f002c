import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../src/transcript/context/context.ts';
import { contextTokens } from '../../src/transcript/context/tokens.ts';
import { FLAG } from '../../src/transcript/entry.ts';
import { activePath, childrenOf, leafOf } from '../../src/transcript/tree/tree.ts';
import { turnsOf } from '../../src/transcript/tree/turns.ts';
import { scanTranscriptFile } from '../../src/transcript-file/scan.ts';

const FIXTURES = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
const fixture = (path: string) => scanTranscriptFile(`${FIXTURES}${path}`);

describe('OpenClaw 2026.7.35', () => {
  test('calls, parallel results, second copies and usage', async () => {
    const transcript = await fixture('openclaw-files/2026.7.35/tools-pristine.jsonl');
    expect(transcript.dialect).toBe('openclaw');
    expect(transcript.header).toEqual({
      version: 3,
      id: '1906349c-2337-4d47-9a36-79dd069549a8',
      cwd: '/home/user/ws',
      parentSession: undefined,
    });
    expect(
      [...transcript.entries()].map((entry) => [entry.line, entry.kind, entry.type, entry.role]),
    ).toEqual([
      [1, 'header', 'session', 'none'],
      [2, 'model-change', 'model_change', 'none'],
      [3, 'thinking-level-change', 'thinking_level_change', 'none'],
      [4, 'custom', 'model-snapshot', 'none'],
      [5, 'message', 'message', 'user'],
      [6, 'message', 'message', 'assistant'],
      [7, 'message', 'message', 'toolResult'],
      [8, 'message', 'message', 'assistant'],
      [9, 'message', 'message', 'toolResult'],
      [10, 'message', 'message', 'toolResult'],
      [11, 'message', 'message', 'assistant'],
    ]);
    const parallel = transcript.entry(7);
    expect(parallel.toolCalls.map((call) => call.name)).toEqual(['read', 'exec']);
    const results = [transcript.entry(8), transcript.entry(9)].flatMap((entry) => entry.toolResults);
    expect(results.map((result) => result.callId)).toEqual(parallel.toolCalls.map((call) => call.id));
    expect(results.map((result) => result.name)).toEqual(['read', 'exec']);
    expect(transcript.entry(9).copySize).toBeGreaterThan('PARALLEL-EXEC'.length);
    expect(transcript.entry(10)).toMatchObject({
      textSize: 'answer leg1'.length,
      usage: { input: 7704, output: 4, cacheRead: 0, cacheWrite: 0, total: 7708 },
    });
  });

  test('a compaction keeps what it names, and recorded usage is the figure', async () => {
    const transcript = await fixture('openclaw-files/2026.7.35/compacted-pristine.jsonl');
    const path = activePath(transcript).entries;
    const compaction = path.find((index) => transcript.kindOf(index) === 'compaction')!;
    expect(transcript.entry(compaction)).toMatchObject({ id: '9984a183', target: '70113e27' });
    const context = contextOf(transcript, path);
    expect(context.cutBy).toBe(compaction);
    expect(context.entries[0]).toBe(compaction);
    // Everything from the first model change on was kept: all messages reach the model, after the summary.
    expect(context.entries.filter((index) => transcript.kindOf(index) === 'message')).toHaveLength(13);
    expect(contextTokens(transcript, context)).toMatchObject({ tokens: 9357, basis: 'recorded' });
    expect(turnsOf(transcript, path).map((turn) => turn.toolCalls)).toEqual([3, 1, 0]);
  });

  test('an image is counted, not its base64', async () => {
    const transcript = await fixture('openclaw-files/2026.7.35/a7e38d01-f39d-4290-81ec-f0e45763b20a.jsonl');
    expect(transcript.entry(6)).toMatchObject({
      imageCount: 1,
      toolResults: [{ size: 'Read image file [image/png]'.length, isError: false }],
    });
  });

  test('header only', async () => {
    const transcript = await fixture('openclaw-files/2026.7.35/f486030e-009e-4b3b-9799-a9962d44343d.jsonl');
    expect(transcript.length).toBe(1);
    expect(leafOf(transcript)).toBe(-1);
    expect(activePath(transcript).entries).toEqual([]);
    expect(contextTokens(transcript)).toMatchObject({ tokens: 0, basis: 'estimated' });
  });
});

describe('pi', () => {
  const name = (start: string) => `pi/${readdirSync(`${FIXTURES}pi`).find((file) => file.includes(start))!}`;

  test('the oldest files have no ids: they are read in order, and a compaction names a line by number', async () => {
    const transcript = await fixture('pi/legacy-v1.before-open.jsonl.orig');
    expect(transcript.header?.version).toBeUndefined();
    expect(activePath(transcript)).toEqual({ entries: [1, 2, 3, 4, 5], brokenAt: undefined });
    expect(transcript.targetIndexOf(3)).toBe(2);
    expect(transcript.entry(4).role).toBe('custom');
    const migrated = await fixture('pi/legacy-v1.jsonl');
    expect(contextOf(transcript, [1, 2, 3, 4, 5]).entries).toEqual(
      contextOf(migrated, [1, 2, 3, 4, 5]).entries,
    );
  });

  test('branches: the leaf is the last line, labels and summaries are no messages', async () => {
    const transcript = await fixture(name('bce1'));
    const { entries } = activePath(transcript);
    expect(entries.map((index) => transcript.idOf(index))).toEqual([
      '3f3627fa',
      '830014a2',
      '1451e4f8',
      '9fa783dc',
      'f997c823',
    ]);
    const children = childrenOf(transcript);
    expect(children(transcript.indexOf('830014a2')!).map((index) => transcript.idOf(index))).toEqual([
      '5a1a1e55',
      'f9d13770',
      '1451e4f8',
    ]);
    expect(children(-1)).toEqual([1]);
    expect(transcript.entry(5)).toMatchObject({ kind: 'label', target: 'a8908571' });
  });

  test('a session of 1.5.2: its prompt is an entry, and a virtual model is no message', async () => {
    const [file] = readdirSync(`${FIXTURES}pi-1.5.2`);
    const transcript = await fixture(`pi-1.5.2/${file}`);
    expect(transcript.header?.version).toBe(3);
    expect(transcript.problems).toEqual([]);
    const { entries } = activePath(transcript);
    expect(entries).toHaveLength(transcript.length - 1);
    const exchange = ['user', 'assistant', 'toolResult', 'assistant'];
    const kinds = entries.map((index) => {
      const { role, kind } = transcript.entry(index);
      return role === 'none' ? kind : role;
    });
    expect(kinds).toEqual([
      ...['model-change', 'thinking-level-change', 'system', ...exchange, ...exchange, 'user', 'assistant'],
      ...['model-change', 'custom', 'user', 'assistant'],
    ]);
    expect(contextTokens(transcript)).toMatchObject({ basis: 'recorded' });
  });

  test('a torn last line is reported and kept', async () => {
    const transcript = await fixture('pi/robust-broken-tail.jsonl');
    expect(transcript.terminated).toBe(false);
    expect(transcript.problems).toEqual([{ line: 17, start: 7571, end: 7597, problem: 'torn' }]);
    expect(transcript.kindOf(16)).toBe('broken');
    expect(leafOf(transcript)).toBe(15);
  });

  test('a parent that is gone is said to be gone', async () => {
    const transcript = await fixture('pi/edited-toolpair-removed-not-relinked.jsonl');
    const { entries, brokenAt } = activePath(transcript);
    expect(brokenAt).toBe(entries[0]);
    expect(transcript.entry(brokenAt!).parentId).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe('Claude Code 2.1.325', () => {
  const TUI = 'claude-code/projects/-home-user-work-tui/cffc02be-27e5-4d1c-ae94-755482ed1222.jsonl';
  const SESS = 'claude-code/projects/-home-user-work-sess/11111111-1111-4111-8111-111111111111.jsonl';

  test('only what a person typed starts a turn', async () => {
    const transcript = await fixture(TUI);
    expect(transcript.dialect).toBe('claude-code');
    const starts = [...transcript.entries()].filter((entry) => entry.flags & FLAG.startsTurn);
    // Not the reminder, the shell command and its output, the summary, the caveat, the slash command and its output.
    expect(starts.map((entry) => entry.line)).toEqual([5, 41, 85]);
    expect(transcript.header).toMatchObject({
      id: 'cffc02be-27e5-4d1c-ae94-755482ed1222',
      cwd: '/home/user/work/tui',
      version: '2.1.325',
    });
  });

  test('a compaction is its boundary line, and the path goes on behind it', async () => {
    const transcript = await fixture(TUI);
    const { entries, brokenAt } = activePath(transcript);
    expect(brokenAt).toBeUndefined();
    expect(transcript.entry(entries[0]!).line).toBe(5);
    const boundary = entries.filter((index) => transcript.kindOf(index) === 'compaction');
    expect(boundary.map((index) => index + 1)).toEqual([72]);
    expect(transcript.has(boundary[0]!, FLAG.logicalParent)).toBe(true);
    expect(transcript.preservedBy(boundary[0]!)).toEqual([
      'ae654690-04cd-469e-bff1-a3ff1ff0cbe8',
      'd63d5698-adf2-4ad9-b449-a9a7c8daae3b',
    ]);
    const context = contextOf(transcript, entries);
    const messages = context.entries.filter((index) => transcript.kindOf(index) === 'message');
    // The summary, behind it the reply that was preserved.
    expect(transcript.has(messages[0]!, FLAG.compactSummary)).toBe(true);
    expect(transcript.entry(messages[0]!).line).toBe(73);
    expect(transcript.idOf(messages[1]!)).toBe('ae654690-04cd-469e-bff1-a3ff1ff0cbe8');
  });

  test("a subagent's notification starts no turn", async () => {
    const transcript = await fixture(
      'claude-code/projects/-home-user-work-types/aaaa0001-0000-4000-8000-000000000000.jsonl',
    );
    const starts = [...transcript.entries()].filter((entry) => entry.flags & FLAG.startsTurn);
    expect(starts).toHaveLength(1);
  });

  test('parallel calls: each result hangs from its own call, and none is lost', async () => {
    const transcript = await fixture(SESS);
    const { entries } = activePath(transcript);
    const calls = entries.flatMap((index) => transcript.callsOf(index));
    const answered = new Set(
      entries.flatMap((index) => transcript.resultsOf(index).map((result) => result.callId)),
    );
    expect(calls).toHaveLength(4);
    expect(calls.every((call) => answered.has(call.id))).toBe(true);
    const plainWalk = new Set<number>();
    for (let at = leafOf(transcript); at >= 0; at = transcript.parentOf(at)) plainWalk.add(at);
    expect(entries.some((index) => !plainWalk.has(index))).toBe(true);
  });

  test('usage is repeated on the lines of one message; the file says what they sum to', async () => {
    const transcript = await fixture(SESS);
    const byMessage = new Map<number, number>();
    let perLine = 0;
    for (let i = 0; i < transcript.length; i++) {
      const usage = transcript.usageOf(i);
      if (usage === undefined || transcript.has(i, FLAG.failed)) continue;
      perLine += usage.input;
      byMessage.set(transcript.messageOf(i), usage.input);
    }
    const once = [...byMessage.values()].reduce((sum, input) => sum + input, 0);
    expect(perLine).toBeGreaterThan(once);
    expect(once).toBe(12166);
  });

  test('lines outside the conversation are kept apart', async () => {
    const transcript = await fixture(SESS);
    const sidecars = new Set<string>();
    for (const entry of transcript.entries()) if (entry.kind === 'sidecar') sidecars.add(entry.type);
    expect([...sidecars].sort()).toEqual([
      'api-request',
      'api-request-blob',
      'api-request-shape',
      'atis-latch',
      'cost-state',
      'last-prompt',
      'mode',
      'queue-operation',
      'tools-used',
    ]);
  });

  test("a subagent's file is all sidechain, and still has a leaf", async () => {
    const transcript = await fixture(
      'claude-code/projects/-home-user-work-types/aaaa0001-0000-4000-8000-000000000000/subagents/agent-a2afa093c23b60b1f.jsonl',
    );
    expect(leafOf(transcript)).toBe(21);
    expect(activePath(transcript).entries.every((index) => transcript.has(index, FLAG.sidechain))).toBe(true);
  });
});

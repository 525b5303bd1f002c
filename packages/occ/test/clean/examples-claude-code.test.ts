import { describe, expect, test } from 'vitest';
import { cleanLines, type Line } from './clean-lines.ts';

/** Lines of Claude Code: each hangs from the one before it unless it says otherwise. */
function transcript(...entries: Line[]): Line[] {
  let parentUuid: unknown = null;
  return entries.map((entry) => {
    if (entry.uuid === undefined) return { ...entry, sessionId: 's' };
    const line: Line = { parentUuid, isSidechain: false, sessionId: 's', ...entry };
    parentUuid = line.uuid;
    return line;
  });
}

const user = (uuid: string, content: unknown, fields: Line = {}): Line => ({
  type: 'user',
  uuid,
  message: { role: 'user', content },
  ...fields,
});
/** One block of an assistant's message; the blocks of one message share its id and repeat its usage. */
const block = (uuid: string, id: string, content: Line): Line => ({
  type: 'assistant',
  uuid,
  message: {
    id,
    role: 'assistant',
    model: 'm',
    content: [content],
    usage: { input_tokens: 9, output_tokens: 1 },
  },
});
const thinking = { type: 'thinking', thinking: 'first the file', signature: 'c2ln' };
const text = (said: string) => ({ type: 'text', text: said });
const use = (id: string, input: Line = { path: 'a.txt' }) => ({ type: 'tool_use', id, name: 'Read', input });
const result = (tool_use_id: string, content: unknown = 'done') => ({
  type: 'tool_result',
  tool_use_id,
  content,
});

const uuids = (lines: readonly Line[]) => lines.map(({ uuid, type }) => uuid ?? type);
const find = (lines: readonly Line[], uuid: string) => lines.find((line) => line.uuid === uuid)!;
const contentOf = (lines: readonly Line[], uuid: string) => (find(lines, uuid).message as Line).content;
const LONG = 'a long output\n'.repeat(30);

describe('lines of one message', () => {
  const turn = transcript(
    user('q1', 'what does it say?'),
    block('m1-thinking', 'm1', thinking),
    block('m1-text', 'm1', text('Let me look.')),
    block('m1-call', 'm1', use('x')),
    user('r1', [result('x', LONG)], { toolUseResult: { stdout: LONG } }),
    block('m2', 'm2', text('It says a lot.')),
  );

  test('thinking and calls go, the text stays', () => {
    const cleaned = cleanLines(turn, { keep: 0 });
    expect(uuids(cleaned)).toEqual(['q1', 'm1-text', 'm2']);
    expect(find(cleaned, 'm1-text')).toEqual({ ...find(turn, 'm1-text'), parentUuid: 'q1' });
    expect(find(cleaned, 'm2').parentUuid).toBe('m1-text');
  });

  test('thinking after the call is removed too, and a message that has nothing else', () => {
    const lines = transcript(
      ...turn.slice(0, 5),
      block('m2-redacted', 'm2', { type: 'redacted_thinking', data: 'cmVk' }),
      block('m3-thinking', 'm3', thinking),
      block('m3-text', 'm3', text('It says a lot.')),
      user('q2', 'thanks'),
      block('m4-thinking', 'm4', thinking),
      block('m4-text', 'm4', text('You are welcome.')),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(uuids(cleaned)).toEqual(['q1', 'm1-text', 'm3-text', 'q2', 'm4-thinking', 'm4-text']);
    expect(find(cleaned, 'm3-text').parentUuid).toBe('m1-text');
  });

  test('an exchange in progress keeps its thinking, and what precedes it in the turn', () => {
    const lines = transcript(
      ...turn.slice(0, 5),
      block('m2-thinking', 'm2', thinking),
      block('m2-call', 'm2', use('y')),
      user('r2', [result('y', LONG)]),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(uuids(cleaned)).toEqual(uuids(lines));
    expect(contentOf(cleaned, 'r1')).toEqual([result('x', 'a long output\na long output[truncated]')]);
    expect(contentOf(cleaned, 'm2-thinking')).toEqual([thinking]);
  });

  test('the copy of a shortened output beside the message is shortened too', () => {
    const cleaned = cleanLines(turn, { keep: 1, truncate: 100 });
    expect(uuids(cleaned)).toEqual(uuids(turn));
    expect(contentOf(cleaned, 'r1')).toEqual([result('x', 'a long output\na long output[truncated]')]);
    const { stdout } = find(cleaned, 'r1').toolUseResult as { stdout: string };
    expect(stdout.length).toBeLessThanOrEqual(120);
  });
});

test('an entry that was written twice is removed twice: the first line would replace the last', () => {
  const lines = transcript(
    user('q1', 'go'),
    block('m1-text', 'm1', text('Let me look.')),
    block('m1-call', 'm1', use('x')),
    { ...block('m1-call', 'm1', use('x')), parentUuid: 'm1-text' },
    user('r1', [result('x')]),
    block('m2', 'm2', text('done')),
  );
  expect(uuids(cleanLines(lines, { keep: 0 }))).toEqual(['q1', 'm1-text', 'm2']);
});

test("a person's words stay when a result with their id goes", () => {
  const lines = transcript(
    user('same', 'keep this'),
    { ...user('q1', 'go'), parentUuid: null },
    block('m1-call', 'm1', use('x')),
    user('same', [result('x')]),
    block('m2', 'm2', text('done')),
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(uuids(cleaned)).toEqual(['same', 'q1', 'm2']);
  expect(cleaned[0]).toEqual(lines[0]);
});

describe('parallel calls', () => {
  // Each result hangs from its own call; the next message hangs from the last result only.
  const turn = transcript(
    user('q1', 'both, please'),
    block('call-x', 'm1', use('x')),
    block('call-y', 'm1', use('y')),
    { ...user('result-x', [result('x')]), parentUuid: 'call-x' },
    { ...user('result-y', [result('y')]), parentUuid: 'call-y' },
    block('m2', 'm2', text('here they are')),
  );

  test('are removed together, also those beside the path', () => {
    const cleaned = cleanLines(turn, { keep: 0 });
    expect(uuids(cleaned)).toEqual(['q1', 'm2']);
    expect(find(cleaned, 'm2').parentUuid).toBe('q1');
  });

  test('several results in one line: all go with it', () => {
    const lines = transcript(
      user('q1', 'both, please'),
      block('call-x', 'm1', use('x')),
      block('call-y', 'm1', use('y')),
      user('results', [result('x'), result('y')], { toolUseResult: ['x', 'y'] }),
      block('m2', 'm2', text('here they are')),
    );
    expect(uuids(cleanLines(lines, { keep: 0 }))).toEqual(['q1', 'm2']);
  });

  test("a person's words beside a result stay", () => {
    const lines = transcript(
      user('q1', 'go'),
      block('call-x', 'm1', use('x')),
      user('r1', [result('x'), text('but not that one')], { toolUseResult: 'rejected' }),
      block('m2', 'm2', text('understood')),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(contentOf(cleaned, 'r1')).toEqual([text('but not that one')]);
    expect(find(cleaned, 'r1')).not.toHaveProperty('toolUseResult');
  });

  test('words beside a result that hangs beside the path keep it, and its call: both are shortened', () => {
    const lines = turn.map((line) => structuredClone(line));
    (find(lines, 'result-x').message as Line).content = [result('x', LONG), text('and hurry')];
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(uuids(cleaned)).toEqual(uuids(lines));
    expect(contentOf(cleaned, 'result-x')).toEqual([
      result('x', 'a long output\na long output[truncated]'),
      text('and hurry'),
    ]);
  });

  test('one that waits for its result is in progress, and the other with it', () => {
    const lines = turn.slice(0, 4);
    expect(cleanLines(lines, { keep: 0 })).toEqual(lines);
  });
});

describe('turns', () => {
  test('what the program writes in the name of a person starts none', () => {
    const lines = transcript(
      user('q1', 'go'),
      block('c1', 'm1', use('x')),
      user('r1', [result('x')]),
      user('meta', 'a reminder', { isMeta: true }),
      user('command', '<command-name>/status</command-name>'),
      block('c2', 'm2', use('y')),
      user('r2', [result('y')]),
      block('m3', 'm3', text('done')),
    );
    expect(cleanLines(lines, { keep: 1 })).toEqual(lines);
    expect(uuids(cleanLines(lines, { keep: 0 }))).toEqual(['q1', 'meta', 'command', 'm3']);
  });

  test('a subagent within the file is off the path and stays as it is', () => {
    const side = { isSidechain: true };
    const lines = transcript(
      user('q1', 'go'),
      { ...user('s1', 'find it', side), parentUuid: null },
      { ...block('s2', 'ms', use('z')), ...side },
      { ...user('s3', [result('z', LONG)], side) },
      { ...block('c1', 'm1', use('x')), parentUuid: 'q1' },
      user('r1', [result('x')]),
      block('m2', 'm2', text('found')),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(uuids(cleaned)).toEqual(['q1', 's1', 's2', 's3', 'm2']);
    expect(find(cleaned, 's3')).toEqual(find(lines, 's3'));
  });
});

describe('lines outside the conversation', () => {
  const sidecars: Line[] = [
    { type: 'last-prompt', lastPrompt: 'go', leafUuid: 'r1' },
    { type: 'cost-state', totalCostUSD: 0.035123999999999996 },
    { type: 'queue-operation', operation: 'enqueue', content: 'go' },
    { type: 'of-the-future', toolUseResult: LONG },
  ];
  const lines = transcript(
    user('q1', 'go'),
    block('c1', 'm1', use('x')),
    user('r1', [result('x')]),
    ...sidecars,
    block('m2', 'm2', text('done')),
  );

  test('stay; the leaf that one names moves to the nearest line that stays', () => {
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(uuids(cleaned)).toEqual(['q1', ...sidecars.map(({ type }) => type), 'm2']);
    expect(cleaned[1]).toEqual({ ...lines[3], leafUuid: 'q1' });
    expect(cleaned.slice(2, 5)).toEqual(lines.slice(4, 7));
  });
});

describe('compactions', () => {
  test('the messages that one kept leave its list when they go', () => {
    const lines = transcript(
      user('q1', 'go'),
      block('c1', 'm1', use('x')),
      user('r1', [result('x')]),
      block('m2', 'm2', text('done')),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'k',
        parentUuid: null,
        logicalParentUuid: 'm2',
        compactMetadata: {
          trigger: 'auto',
          preservedSegment: { headUuid: 'c1', anchorUuid: 'summary', tailUuid: 'm2' },
          preservedMessages: {
            anchorUuid: 'summary',
            uuids: ['c1', 'r1', 'm2'],
            allUuids: ['c1', 'r1', 'm2'],
          },
        },
      },
      user('summary', 'we did it', { isCompactSummary: true }),
      user('q2', 'and now?'),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(uuids(cleaned)).toEqual(['q1', 'm2', 'k', 'summary', 'q2']);
    expect(find(cleaned, 'k').compactMetadata).toEqual({
      trigger: 'auto',
      preservedSegment: { headUuid: 'm2', anchorUuid: 'summary', tailUuid: 'm2' },
      preservedMessages: { anchorUuid: 'summary', uuids: ['m2'], allUuids: ['m2'] },
    });
  });
});

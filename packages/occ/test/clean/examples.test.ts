import { describe, expect, test } from 'vitest';
import { cleanBytes } from './clean-bytes.ts';
import { cleanLines, type Line } from './clean-lines.ts';
import {
  answers,
  asks,
  call,
  calls,
  contentOf,
  find,
  ids,
  LONG,
  message,
  says,
  transcript,
  turn,
} from './openclaw-entries.ts';

describe('which turns', () => {
  test('the newest turns with tools stay, the calls and results of older ones go, and all words stay', () => {
    const cleaned = cleanLines(transcript(...turn(1), ...turn(2), ...turn(3)), { keep: 1 });
    expect(ids(cleaned)).toEqual(['q1', 'a1', 'q2', 'a2', 'q3', 'c3', 'r3', 'a3']);
  });

  test('a turn without tools does not count among them', () => {
    const talk = [asks('q2', 'thanks'), says('a2', 'you are welcome')];
    const cleaned = cleanLines(transcript(...turn(1), ...talk, ...talk), { keep: 1 });
    expect(ids(cleaned)).toContain('c1');
  });

  test.each([
    { keep: 3, truncate: 50, shortened: ['r1'] },
    { keep: 3, truncate: 33, shortened: [] },
    { keep: 3, truncate: 34, shortened: ['r1'] },
    { keep: 3, truncate: 99, shortened: ['r1', 'r2'] },
    { keep: 3, truncate: 100, shortened: ['r1', 'r2', 'r3'] },
  ])(
    '$truncate% of three turns shorten $shortened: the share is rounded down',
    ({ shortened, ...options }) => {
      const cleaned = cleanLines(transcript(...turn(1, LONG), ...turn(2, LONG), ...turn(3, LONG)), options);
      const isShort = (id: string) => JSON.stringify(contentOf(cleaned, id)).includes('[truncated]');
      expect(['r1', 'r2', 'r3'].filter(isShort)).toEqual(shortened);
    },
  );

  test('the share is one of the turns that stay, not of those that may', () => {
    const cleaned = cleanLines(transcript(...turn(1, LONG), ...turn(2, LONG)), { keep: 20, truncate: 50 });
    expect(JSON.stringify(contentOf(cleaned, 'r1'))).toContain('[truncated]');
    expect(JSON.stringify(contentOf(cleaned, 'r2'))).not.toContain('[truncated]');
  });

  test('what comes before the first words of a person is a turn too', () => {
    const lines = transcript(calls('c0', call('call_0')), answers('r0', 'call_0'), ...turn(1), ...turn(2));
    expect(ids(cleanLines(lines, { keep: 2 }))).not.toContain('c0');
    expect(ids(cleanLines(lines, { keep: 3 }))).toContain('c0');
  });

  test('a message that the runtime of the agent wrote alone begins a turn', () => {
    const asked = (number: number) => [
      asks(`q${number}`, `System: [2026-01-${number + 10} 08:00 UTC] Cron: check the mail`),
      ...turn(number).slice(1),
    ];
    const cleaned = cleanLines(transcript(...asked(1), ...asked(2), ...asked(3)), { keep: 1 });
    expect(ids(cleaned)).toEqual(['q1', 'a1', 'q2', 'a2', 'q3', 'c3', 'r3', 'a3']);
  });

  test('a message without any content starts no turn', () => {
    const [question, ...rest] = turn(1);
    const lines = transcript(question!, message('e', { role: 'user', content: [] }), ...rest, ...turn(2));
    expect(ids(cleanLines(lines, { keep: 2 }))).toContain('c1');
  });
});

describe('calls and their results', () => {
  test('parallel calls go together, with all their results', () => {
    const lines = transcript(
      asks('q1', 'both, please'),
      calls('c1', { type: 'text', text: 'Reading both.' }, call('x'), call('y')),
      answers('ry', 'y'),
      answers('rx', 'x'),
      says('a1', 'here they are'),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['q1', 'c1', 'a1']);
    expect(contentOf(cleaned, 'c1')).toEqual([{ type: 'text', text: 'Reading both.' }]);
  });

  test('a result follows its call, wherever it is: before it, or turns later', () => {
    const lines = transcript(
      answers('early', 'x'),
      asks('q1', 'go'),
      calls('c1', call('x'), call('y')),
      says('a1', 'y takes a while'),
      ...turn(2),
      answers('late', 'y'),
      says('a3', 'y is done'),
    );
    expect(ids(cleanLines(lines, { keep: 1 }))).toEqual(['q1', 'a1', 'q2', 'c2', 'r2', 'a2', 'a3']);
    expect(ids(cleanLines(lines, { keep: 2 }))).toEqual(ids(lines));
  });

  test('an id that comes round again belongs to the call before it', () => {
    const again = turn(2).map(
      (line) => JSON.parse(JSON.stringify(line).replaceAll('call_2', 'call_1')) as Line,
    );
    const cleaned = cleanLines(transcript(...turn(1), ...again), { keep: 1 });
    expect(ids(cleaned)).toEqual(['q1', 'a1', 'q2', 'c2', 'r2', 'a2']);
  });

  test('an old call that never got a result goes like others', () => {
    const lines = transcript(asks('q1', 'go'), calls('c1', call('x')), says('a1', 'stopped'), ...turn(2));
    expect(ids(cleanLines(lines, { keep: 1 }))).toEqual(['q1', 'a1', 'q2', 'c2', 'r2', 'a2']);
  });

  test('calls at the end that wait for their results belong to the run in progress and are never touched', () => {
    const lines = transcript(...turn(1), asks('q2', 'go on'), calls('c2', call('x', { note: LONG })));
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['q1', 'a1', 'q2', 'c2']);
    expect(find(cleaned, 'c2')).toEqual(find(lines, 'c2'));
  });

  test('so do results that wait for an answer, with all calls of their message', () => {
    const lines = transcript(
      ...turn(1),
      asks('q2', 'go'),
      calls('c2', call('x'), call('y')),
      answers('rx', 'x', LONG),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['q1', 'a1', 'q2', 'c2', 'rx']);
  });

  test('earlier exchanges of the same turn are not in progress', () => {
    const [question, ...exchange] = turn(1).slice(0, 3);
    const lines = transcript(question!, ...exchange, calls('c2', call('y')));
    expect(ids(cleanLines(lines, { keep: 0 }))).toEqual(['q1', 'c2']);
  });
});

describe('what is left of a message', () => {
  const thinking = { type: 'thinking', thinking: 'first the file', thinkingSignature: 'c2ln' };

  test('a message left with blanks only is removed', () => {
    const lines = transcript(
      asks('q1', 'go'),
      calls('c1', thinking, { type: 'text', text: '\n\n' }, call('x')),
      answers('r1', 'x'),
      says('a1', 'Done.'),
    );
    expect(ids(cleanLines(lines, { keep: 0 }))).toEqual(['q1', 'a1']);
  });
});

describe('an id that comes twice', () => {
  const twice = (earlier: Line) =>
    transcript(
      earlier,
      asks('q1', 'question 1'),
      calls('c1', call('x')),
      answers(earlier.id as string, 'x', LONG),
      says('a1', 'answer 1'),
    ).map((line) => (line.id === 'q1' ? { ...line, parentId: null } : line));

  test.each([
    ["a person's message", asks('same', 'keep this')],
    ['an image of a person', message('same', { role: 'user', content: [{ type: 'image', data: 'aGk=' }] })],
    ["an assistant's words", says('same', 'keep this')],
    ['a note', { type: 'label', id: 'same', targetId: 'q1', label: 'keep this' }],
  ])('%s stays when the result with its id goes', (_, earlier) => {
    const lines = twice(earlier);
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['same', 'q1', 'a1']);
    expect(cleaned[1]).toEqual(lines[1]);
    expect(find(cleaned, 'a1').parentId).toBe('q1');
    expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
  });

  test("an assistant's words stay without the call beside them", () => {
    const cleaned = cleanLines(twice(calls('same', { type: 'text', text: 'keep this' }, call('y'))), {
      keep: 0,
    });
    expect(contentOf(cleaned, 'same')).toEqual([{ type: 'text', text: 'keep this' }]);
  });

  test('a call or a result goes with the line that has its id', () => {
    expect(ids(cleanLines(twice(calls('same', call('y'))), { keep: 0 }))).toEqual(['q1', 'a1']);
    expect(ids(cleanLines(twice(answers('same', 'y')), { keep: 0 }))).toEqual(['q1', 'a1']);
  });
});

describe('what is shortened', () => {
  const shorten = (...entries: Line[]) =>
    cleanLines(transcript(asks('q1', 'go'), ...entries, says('a1', 'ok')), { keep: 1, truncate: 100 });

  test('arguments stay an object within 120 characters, and their second copy is cut', () => {
    const block = {
      ...call('x', { path: 'a.txt', text: LONG, limit: 5 }),
      partialArgs: JSON.stringify({ LONG }),
    };
    const cleaned = shorten(calls('c1', block), answers('r1', 'x'));
    const [shortened] = contentOf(cleaned, 'c1') as Line[];
    expect(shortened).toMatchObject({ id: 'x', name: 'read', arguments: { path: 'a.txt' } });
    expect(JSON.stringify(shortened!.arguments).length).toBeLessThanOrEqual(120);
    expect(JSON.stringify(shortened!.arguments)).toContain('...');
    expect(String(shortened!.partialArgs).length).toBeLessThanOrEqual(120);
  });

  test('a result becomes one text of at most 120 characters and 2 lines', () => {
    const cleaned = shorten(calls('c1', call('x')), answers('r1', 'x', 'first\nsecond\nthird\n'.repeat(20)));
    expect(contentOf(cleaned, 'r1')).toEqual([{ type: 'text', text: 'first\nsecond[truncated]' }]);
  });

  test('no pair of surrogates is cut through', () => {
    const cleaned = shorten(calls('c1', call('x')), answers('r1', 'x', `x${'🦞'.repeat(100)}`));
    const [{ text }] = contentOf(cleaned, 'r1') as [{ text: string }];
    expect(text.isWellFormed()).toBe(true);
    expect(text).toBe(`x${'🦞'.repeat(54)}[truncated]`);
  });

  test('an image in a result is named in its place, also where it is alone', () => {
    const image = { type: 'image', data: 'aGVsbG8='.repeat(100), mimeType: 'image/png' };
    const result = (id: string, toolCallId: string, ...content: Line[]) =>
      message(id, { role: 'toolResult', toolCallId, toolName: 'read', content });
    const cleaned = shorten(
      calls('c1', call('x'), call('y')),
      result('r1', 'x', { type: 'text', text: 'a picture' }, image),
      result('r2', 'y', image),
    );
    expect(contentOf(cleaned, 'r1')).toEqual([{ type: 'text', text: 'a picture\n[image][truncated]' }]);
    expect(contentOf(cleaned, 'r2')).toEqual([{ type: 'text', text: '[image][truncated]' }]);
  });

  test('details that repeat the output are cut, what is small in them stays', () => {
    const result = answers('r1', 'x', LONG);
    (result.message as Line).details = { exitCode: 0, aggregated: LONG };
    const { details } = find(shorten(calls('c1', call('x')), result), 'r1').message as Line;
    expect(details).toMatchObject({ exitCode: 0 });
    expect(String((details as Line).aggregated).length).toBeLessThanOrEqual(120);
  });

  test('what is within the limits stays as it is', () => {
    const lines = transcript(...turn(1));
    expect(cleanLines(lines, { keep: 1, truncate: 100 })).toEqual(lines);
  });
});

describe('links', () => {
  test('entries off the active path change their parent at most', () => {
    const lines = transcript(
      asks('q1', 'go'),
      calls('c1', call('x')),
      answers('r1', 'x'),
      says('left', 'an answer that was left behind'),
      { ...calls('lostCall', call('z')), parentId: 'left' },
      { ...answers('lostResult', 'z', LONG), parentId: 'lostCall' },
      { ...says('a1', 'the answer that stayed'), parentId: 'r1' },
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['q1', 'left', 'lostCall', 'lostResult', 'a1']);
    expect(find(cleaned, 'left')).toEqual({ ...find(lines, 'left'), parentId: 'q1' });
    expect(find(cleaned, 'lostResult')).toEqual(find(lines, 'lostResult'));
    expect(find(cleaned, 'a1').parentId).toBe('q1');
  });

  test('a call that only another branch answers stays, shortened: that branch could not go on without it', () => {
    const lines = transcript(
      asks('q1', 'go'),
      calls('c1', call('x', { text: LONG })),
      answers('r1', 'x', LONG),
      { ...says('a1', 'never mind'), parentId: 'c1' },
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['q1', 'c1', 'r1', 'a1']);
    expect(JSON.stringify((contentOf(cleaned, 'c1') as Line[])[0]!.arguments).length).toBeLessThanOrEqual(
      120,
    );
    expect(find(cleaned, 'r1')).toEqual(find(lines, 'r1'));
  });

  test('what pointed at a removed entry points at what replaces it', () => {
    const cleaned = cleanLines(
      transcript(
        ...turn(1),
        { type: 'label', id: 'l', targetId: 'r1', label: 'here' },
        { type: 'branch_summary', id: 'b', fromId: 'r1', summary: 'went back' },
        { type: 'context_edit', id: 'e', targetId: 'r1', replacement: { content: 'short' } },
        { type: 'compaction', id: 'k', firstKeptEntryId: 'c1', summary: 'so far', tokensBefore: 9 },
        ...turn(2),
      ),
      { keep: 0 },
    );
    expect(find(cleaned, 'l').targetId).toBe('q1');
    expect(find(cleaned, 'b').fromId).toBe('q1');
    expect(find(cleaned, 'e').targetId).toBe('e');
    expect(find(cleaned, 'k').firstKeptEntryId).toBe('a1');
  });

  test('the oldest files have no ids: a compaction counts lines', () => {
    const bare = (line: Line) => ({ ...line, id: undefined });
    const lines = [
      { type: 'session', id: 's', cwd: '/w' },
      ...turn(1).map(bare),
      { type: 'compaction', firstKeptEntryIndex: 4, summary: 'so far', tokensBefore: 9 },
      ...turn(2).map(bare),
    ];
    const cleaned = cleanLines(lines, { keep: 1 });
    expect(cleaned.map(({ type }) => type)).toEqual([
      'session',
      ...Array(2).fill('message'),
      'compaction',
      ...Array(4).fill('message'),
    ]);
    expect(cleaned[3]!.firstKeptEntryIndex).toBe(2);
  });

  test('broken lines stay where they are, to the byte', () => {
    const torn = '{"type":"message","id":"t';
    const [question, ...rest] = turn(1);
    const lines = transcript(question!, ...rest);
    const text = [lines[0], lines[1], 'not json', '', '\t', ...lines.slice(2)]
      .map((line) => (typeof line === 'string' ? `${line}\r\n` : `${JSON.stringify(line)}\n`))
      .join('');
    const options = { keepTurnsWithTools: 0, truncatePercent: 0 };
    const cleaned = cleanBytes(Buffer.from(text + torn), options).bytes.toString();
    expect(cleaned).toContain('\nnot json\r\n\r\n\t\r\n{"parentId":"q1","type":"message","id":"a1"');
    expect(cleaned.endsWith(`\n${torn}`)).toBe(true);
  });
});

describe('usage', () => {
  test('the last figure is set to what the context is now and marked; what it cost stays', () => {
    const cost = { input: 0.5, total: 0.6 };
    const usage = { input: 90_000, output: 100, cacheRead: 0, cacheWrite: 0, totalTokens: 90_100, cost };
    const lines = transcript(...turn(1, LONG.repeat(100)));
    const last = lines.at(-1)!.message as Line;
    last.usage = usage;
    const cleaned = cleanLines(lines, { keep: 0 });
    const now = (cleaned.at(-1)!.message as Line).usage as typeof usage & { estimatedBy: string };
    expect(now.estimatedBy).toBe('openbot');
    expect(now.totalTokens).toBeLessThan(usage.totalTokens);
    expect(now.input + now.output).toBe(now.totalTokens);
    expect(now.cost).toEqual(cost);
  });
});

describe('a result without a call in a turn that is kept', () => {
  const LINEAR = [{ type: 'session', id: 's', timestamp: 'T', cwd: '/w' }];
  const linear = (...entries: Line[]) => [...LINEAR, ...entries.map(({ id: _, ...line }) => line)];
  const said = (lines: readonly Line[]) => lines.map((line) => JSON.stringify(line)).join('\n');
  const entries = [...turn(1), asks('q2', 'more'), answers('lost', 'gone', 'lost output'), ...turn(3)];

  test.each([[20], [2], [0]])('goes from a file whose lines have no ids, with --keep=%d', (keep) => {
    const cleaned = cleanLines(linear(...entries), { keep });
    expect(said(cleaned)).not.toContain('lost output');
    expect(said(cleaned)).toContain('answer 1');
    expect(cleanLines(cleaned, { keep })).toEqual(cleaned);
  });

  test('is counted in statistics of its own', () => {
    const bytes = Buffer.from(`${said(linear(...entries))}\n`);
    const { statistics } = cleanBytes(bytes, { keepTurnsWithTools: 20, truncatePercent: 0 }).plan;
    expect([statistics.orphanedResultsRemoved, statistics.toolCallsRemoved]).toEqual([1, 0]);
    const { statistics: all } = cleanBytes(bytes, { keepTurnsWithTools: 0, truncatePercent: 0 }).plan;
    expect([all.orphanedResultsRemoved, all.toolCallsRemoved]).toEqual([1, 2]);
  });

  test('stays where a line before it could not be read, which may be its call', () => {
    const lines = linear(...entries);
    expect(said(cleanLines([lines[0]!, 'no JSON', ...lines.slice(1)], { keep: 20 }))).toContain(
      'lost output',
    );
  });

  test('goes where only a line behind it could not be read, such as a torn last one', () => {
    const cleaned = cleanLines([...linear(...entries), '{ "type": "mess'], { keep: 20 });
    expect(said(cleaned)).not.toContain('lost output');
  });

  test('goes where lines have ids and none names a parent', () => {
    const cleaned = cleanLines([...LINEAR, ...entries], { keep: 20 });
    expect(said(cleaned)).not.toContain('lost output');
    expect(ids(cleaned)).toContain('a3');
    expect(cleanLines(cleaned, { keep: 20 })).toEqual(cleaned);
  });

  test('stays where lines name their parents: its call may be on a branch that is not in the file any more', () => {
    expect(ids(cleanLines(transcript(...entries), { keep: 20 }))).toContain('lost');
  });

  test('stays where it parts words from thinking, whole', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'c2lnbmVk' };
    const parted = [
      ...turn(2),
      asks('q1', 'go'),
      calls('c1', { type: 'text', text: 'Reading.' }),
      answers('lost', 'gone', LONG),
      calls('c2', thinking, { type: 'text', text: 'Done.' }),
    ];
    const lines = linear(...parted);
    expect(cleanLines(lines, { keep: 20 })).toEqual(lines);
  });
});

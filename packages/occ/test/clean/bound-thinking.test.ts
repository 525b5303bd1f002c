/** Thinking of models that bind it to what was said before it. */
import { activePath, type Transcript } from '@openbot/sessions';
import { FLAG } from '@openbot/sessions/transcript';
import { describe, expect, test } from 'vitest';
import { planClean } from '../../src/clean/plan-clean.ts';
import { planThinkingRemoval } from '../../src/clean/thinking-removal.ts';
import { findFault } from '../../src/rewrite/verify-clean.ts';
import { cleanBytes, readTranscript } from './clean-bytes.ts';
import { cleanLines, type Line } from './clean-lines.ts';
import { answers, asks, call, contentOf, find, ids, LONG, message, transcript } from './openclaw-entries.ts';

const BOUND = 'claude-opus-5-5';
const OLDER = 'claude-opus-4-5';
const thinking = (text = 'hm') => ({ type: 'thinking', thinking: text, thinkingSignature: 'c2ln' });
const text = (words: string): Line => ({ type: 'text', text: words });
const calls = (id: string, model: string, ...content: Line[]) =>
  message(id, { role: 'assistant', content, model });

/** Three turns: the first and the last are short, the second has large output. */
const three = (model: string) =>
  transcript(
    asks('q1', 'one'),
    calls('c1', model, thinking(), call('x1')),
    answers('r1', 'x1'),
    calls('a1', model, thinking(), text('One.')),
    asks('q2', 'two'),
    calls('c2', model, thinking(), call('x2')),
    answers('r2', 'x2', LONG),
    calls('a2', model, thinking(''), text('Two.')),
    asks('q3', 'three'),
    calls('a3', model, { type: 'thinking', thinking: '', redacted: true, thinkingSignature: 'cmVk' }),
    calls('b3', model, text('Three.')),
  );

const toBytes = (lines: readonly Line[]) =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const large = { keepTurnsWithTools: 20, truncatePercent: 0, truncateOver: 300 };
/** Ids of the entries that hold thinking after a clean. */
function thinkersIn(bytes: Buffer): unknown[] {
  const lines = bytes
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return lines.filter((line) => JSON.stringify(line).includes('"thinking"')).map(({ id }) => id);
}

test('what is thought behind the first change goes, with whatever holds nothing else', () => {
  // The last exchange with calls is never shortened: there must be another one behind it.
  const more = [
    asks('q4', 'four'),
    calls('c4', BOUND, call('x4')),
    answers('r4', 'x4'),
    calls('a4', BOUND, text('4')),
  ];
  const lines = three(BOUND).concat(
    more.map((line, at) => ({ ...line, parentId: at === 0 ? 'b3' : more[at - 1]!.id })),
  );
  const { planned, plan } = cleanBytes(toBytes(lines), large);
  expect(thinkersIn(planned)).toEqual(['c1', 'a1', 'c2']);
  expect(plan.statistics.thinkingUnbound).toBe(2);
  const after = planned
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  for (const id of ['c1', 'a1', 'c2']) expect(find(after, id)).toEqual(find(lines, id));
  expect(ids(after)).not.toContain('a3');
  expect(find(after, 'b3').parentId).toBe('q3');
  expect(contentOf(after, 'a2')).toEqual([text('Two.')]);
  expect(cleanBytes(planned, large).plan.changes).toBe(false);
});

test('on an older model all of it stays, and the newest model decides', () => {
  const options = { keepTurnsWithTools: 0, truncatePercent: 0 };
  expect(thinkersIn(cleanBytes(toBytes(three(OLDER)), options).planned)).toEqual(['a3']);
  expect(thinkersIn(cleanBytes(toBytes(three(BOUND)), options).planned)).toEqual([]);
  const changed = [...three(BOUND), { ...calls('last', OLDER, text('ok')), parentId: 'b3' }];
  expect(thinkersIn(cleanBytes(toBytes(changed), options).planned)).toEqual(['a3']);
});

test('nothing to clean: nothing goes, unless it is stale from an entry on', () => {
  const bytes = toBytes(three(BOUND));
  const nothing = { keepTurnsWithTools: 20, truncatePercent: 0 };
  expect(cleanBytes(bytes, nothing).plan.changes).toBe(false);
  const stale = readTranscript(bytes);
  const read = (index: number) => bytes.toString('latin1', stale.startOf(index), stale.endOf(index));
  const plan = planClean(stale, nothing, read, stale.indexOf('c2'));
  expect([plan.changes, plan.statistics.thinkingUnbound]).toEqual([true, 3]);
  expect(plan.editOf(stale.indexOf('a1')!)?.dropThinking).toBeUndefined();
  expect(plan.editOf(stale.indexOf('c2')!)?.dropThinking).toBe('alone');
  expect(plan.tokens.after).toBeLessThan(plan.tokens.before);
});

test('an open exchange loses its thinking too: the next request is made of what is left', () => {
  const lines = transcript(
    asks('q1', 'one'),
    calls('c1', BOUND, thinking(), call('x1')),
    answers('r1', 'x1'),
    calls('c2', BOUND, thinking(), call('x2')),
    answers('r2', 'x2', LONG),
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(ids(cleaned)).toEqual(['q1', 'c2', 'r2']);
  expect(contentOf(cleaned, 'c2')).toEqual([call('x2')]);
  expect(find(cleaned, 'r2').message).toEqual(find(lines, 'r2').message);
});

test('a leaf of thinking alone stays as a line with nothing in it', () => {
  const lines = transcript(
    asks('q1', 'one'),
    calls('c1', BOUND, thinking(), call('x1')),
    answers('r1', 'x1'),
    calls('a1', BOUND, thinking()),
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(ids(cleaned)).toEqual(['q1', 'a1']);
  expect(contentOf(cleaned, 'a1')).toEqual([]);
  expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
});

test('thinking of other branches goes where they begin behind the change', () => {
  const lines = three(BOUND);
  const branch = (name: string, parentId: string, model = BOUND) => [
    { ...asks(`${name}q`, name), parentId },
    { ...calls(`${name}t`, model, thinking()), parentId: `${name}q` },
    { ...calls(`${name}a`, model, thinking(), text(name)), parentId: `${name}t` },
  ];
  const compaction = {
    type: 'compaction',
    id: 'vc',
    parentId: 'r2',
    summary: 'All.',
    firstKeptEntryId: 'vq',
  };
  const older = [...branch('before', 'a1'), ...branch('behind', 'r2'), ...branch('other', 'r2', OLDER)];
  const all = [...older, compaction, ...branch('compacted', 'vc'), ...branch('on', 'b3')];
  const end = [calls('c4', BOUND, call('x4')), answers('r4', 'x4'), calls('a4', BOUND, text('4'))];
  const last = end.map((line, at) => ({ ...line, parentId: at === 0 ? 'ona' : end[at - 1]!.id }));
  const { planned, plan, transcript: given } = cleanBytes(toBytes([...lines, ...all, ...last]), large);
  const expected = ['c1', 'a1', 'c2', 'beforet', 'beforea', 'othert', 'othera', 'compactedt', 'compacteda'];
  expect(thinkersIn(planned)).toEqual(expected);
  expect(findFault(given, readTranscript(planned), plan)).toBeUndefined();
  // Two of the path and the two that are on it now, two of the branch.
  expect(plan.statistics).toMatchObject({ thinkingUnbound: 6, thinkingRemoved: 6 });
  const after = planned
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  // A line of thinking alone stays there with nothing in it.
  expect(contentOf(after, 'behindt')).toEqual([]);
  expect(contentOf(after, 'behinda')).toEqual([text('behind')]);
  expect(cleanBytes(planned, large).plan.changes).toBe(false);
});

describe('an entry whose calls are cut is the first that changes', () => {
  const long = call('x1', { text: 'x'.repeat(400) });
  const ends = [
    answers('r1', 'x1'),
    calls('c2', BOUND, thinking(), call('x2')),
    answers('r2', 'x2'),
    calls('a2', BOUND, text('done')),
  ];
  const clean = (...content: Line[]) => {
    const between = content.some((block) => block.id === 'y1') ? [answers('s1', 'y1')] : [];
    const lines = transcript(asks('q1', 'one'), calls('c1', BOUND, ...content), ...between, ...ends);
    const cleaned = cleanBytes(toBytes(lines), { keepTurnsWithTools: 1, truncatePercent: 100 });
    const { transcript: before, planned, plan } = cleaned;
    expect(findFault(before, readTranscript(planned), plan)).toBeUndefined();
    return thinkersIn(planned);
  };

  test('thinking before the calls stays', () => {
    expect(clean(thinking(), long)).toEqual(['c1']);
    expect(clean(text('I look.'), thinking(), long)).toEqual(['c1']);
  });

  test('thinking behind one of them goes, with all thinking of the entry', () => {
    expect(clean(thinking(), long, thinking(), call('y1'))).toEqual([]);
    expect(clean(text('I look.'), long, thinking(), call('y1'))).toEqual([]);
  });
});

describe('calls beside the walk have their place through a line of thinking (Claude Code)', () => {
  let parentUuid: string | null = null;
  const line = (uuid: string, type: string, content: unknown, more: Line = {}): Line => {
    const answers = type === 'assistant' && { id: `m-${uuid[0]}`, model: BOUND };
    const written = {
      type,
      uuid,
      parentUuid,
      isSidechain: false,
      message: { role: type, content, ...answers },
    };
    parentUuid = uuid;
    return { ...written, ...more };
  };
  const use = (id: string) => [{ type: 'tool_use', id, name: 'Bash', input: {} }];
  const result = (id: string, output: string) => [{ type: 'tool_result', tool_use_id: id, content: output }];
  const lines = [
    line('q', 'user', 'one'),
    line('a1', 'assistant', use('t1')),
    line('r1', 'user', result('t1', LONG)),
    line('a2', 'assistant', [{ type: 'text', text: 'One.' }]),
    line('p', 'user', 'two'),
    line('b1', 'assistant', [{ type: 'thinking', thinking: '', signature: 'c2ln' }]),
    line('b2', 'assistant', use('t2')),
    line('s', 'user', result('t2', 'ok')),
    line('u', 'user', 'Wait.', { parentUuid: 'b1' }),
    { type: 'last-prompt', lastPrompt: 'Wait.', leafUuid: 's' },
    line('c1', 'assistant', use('t3')),
    line('v', 'user', result('t3', 'ok')),
  ];

  test('it stays with nothing in it', () => {
    const cut = { keepTurnsWithTools: 3, truncatePercent: 40 };
    const { transcript: before, plan, planned } = cleanBytes(toBytes(lines), cut);
    const after = readTranscript(planned);
    expect(findFault(before, after, plan)).toBeUndefined();
    const path = (of: Transcript) => activePath(of).entries.map((index) => of.idOf(index));
    expect(path(after)).toEqual(path(before));
    expect(after.hasFlag(FLAG.thinking)).toBe(false);
  });

  test('so it does in what a restore takes thinking from', () => {
    const bytes = toBytes(lines);
    const given = readTranscript(bytes);
    const read = (index: number) => bytes.toString('latin1', given.startOf(index), given.endOf(index));
    const thought = given.indexOf('b1')!;
    const { isRemoved, editOf, blocks } = planThinkingRemoval(given, [thought], read);
    expect([isRemoved(thought), editOf(thought), blocks]).toEqual([false, { dropThinking: 'alone' }, 1]);
  });
});

test('the result is checked: thinking left behind a change is a fault', () => {
  const bytes = toBytes(three(BOUND));
  const options = { keepTurnsWithTools: 0, truncatePercent: 0 };
  const { transcript: before, plan, planned } = cleanBytes(bytes, options);
  expect(findFault(before, readTranscript(planned), plan)).toBeUndefined();
  const left = planned
    .toString()
    .replace(
      '[{"type":"text","text":"Three."}]',
      '[{"type":"thinking","thinking":"x"},{"type":"text","text":"Three."}]',
    );
  expect(findFault(before, readTranscript(Buffer.from(left)), plan)).toBe(
    'thinking is left behind what it is not bound to',
  );
});

test('the result is checked: thinking left behind a call that was cut is a fault', () => {
  const long = call('x1', { text: 'x'.repeat(400) });
  const ends = [
    answers('r1', 'x1'),
    answers('s1', 'y1'),
    calls('c2', BOUND, call('x2')),
    answers('r2', 'x2'),
  ];
  const given = calls('c1', BOUND, thinking(), long, thinking(), call('y1'));
  const before = readTranscript(toBytes(transcript(asks('q1', 'one'), given, ...ends)));
  const cut = calls('c1', BOUND, thinking(), call('x1', {}), thinking(), call('y1'));
  const after = readTranscript(toBytes(transcript(asks('q1', 'one'), cut, ...ends)));
  const plan = { isRemoved: () => false, lonely: { calls: 0, results: 0 } };
  expect(findFault(before, after, plan)).toBe('thinking is left behind what it is not bound to');
});

describe('a result without a call in a kept turn of a file without branches', () => {
  const turn = (number: number, output = 'ok') => [
    asks(`q${number}`, `question ${number}`),
    calls(`c${number}`, BOUND, thinking(`plan ${number}`), call(`x${number}`)),
    answers(`r${number}`, `x${number}`, output),
    calls(`a${number}`, BOUND, thinking(`check ${number}`), text(`answer ${number}`)),
  ];
  const lost = answers('lost', 'gone', 'ok');
  const linear = (...entries: Line[]) => transcript().concat(entries.map(({ id: _, ...entry }) => entry));
  const clean = (lines: readonly Line[], options: Partial<typeof large> = {}) => {
    const removal = { keepTurnsWithTools: 20, truncatePercent: 0, ...options };
    const { planned, plan } = cleanBytes(toBytes(lines), removal);
    const again = cleanBytes(planned, removal).plan.changes;
    return { after: planned.toString(), plan, again };
  };
  const count = (text: string, part: string) => text.split(part).length - 1;

  test('stays where thinking behind it would be lost', () => {
    const lines = linear(...turn(1), lost, ...turn(2), ...turn(3), ...turn(4));
    for (const options of [{ truncateOver: 500 }, {}]) {
      const { after, plan, again } = clean(lines, options);
      expect([plan.changes, plan.statistics.thinkingRemoved, again]).toEqual([false, 0, false]);
      expect(count(after, '"gone"')).toBe(1);
    }
  });

  test('goes behind what changes anyway, and stays before it', () => {
    const long = 'output '.repeat(200);
    const lines = linear(...turn(1), lost, ...turn(2), ...turn(3, long), lost, ...turn(4));
    const { after, plan, again } = clean(lines, { truncateOver: 500 });
    expect(plan.statistics.toolCallsTruncated).toBe(1);
    expect([count(after, '"gone"'), count(after, '"check 2"'), again]).toEqual([1, 1, false]);
    expect(after.indexOf('"gone"')).toBeLessThan(after.indexOf('question 2'));
  });

  test('goes where no thinking follows it', () => {
    const lines = linear(
      ...turn(1),
      ...turn(2),
      lost,
      asks('q3', 'thanks'),
      calls('a3', BOUND, text('Welcome.')),
    );
    const { after, plan, again } = clean(lines);
    expect([count(after, '"gone"'), plan.statistics.thinkingRemoved, again]).toEqual([0, 0, false]);
  });
});

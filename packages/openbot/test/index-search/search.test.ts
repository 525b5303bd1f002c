import { describe, expect, test } from 'vitest';
import { parseQuery } from '../../src/index-search/parse-query.ts';
import { suggest } from '../../src/index-search/suggest.ts';
import { AT, lineOf, makeTalkingState, openIndexOf, said } from '../index-writing/talking-state.ts';

async function indexOf(...lines: string[]) {
  const state = makeTalkingState();
  state.add(1, ...lines);
  const index = await openIndexOf(state);
  await index.catchUp();
  return { ...index, state };
}

const ODD = [
  '"',
  '""',
  '"""',
  "'",
  '*',
  '**',
  '(',
  ')',
  'a AND',
  'NOT',
  'OR b',
  'NEAR(a b)',
  'text:a',
  '{text}:a',
  '^a',
  'a^b',
  '-a',
  '+',
  'a"b',
  '\0',
  'a\0b',
  ':',
  'said:',
  '--',
  ';',
  '%',
  '\\',
  '\ud800',
  'a'.repeat(100_000),
  '"a" "',
  'rank',
  '?1',
  '\u200b',
];

describe('words', () => {
  test.each([
    ['case and accents', 'ÜBER DIE Brücke nach Łódź, señor', ['uber brucke', 'senor', 'BRÜCKE']],
    ['Chinese, in any part of a sentence', '我住在北京市的中心', ['北京', '京市', '住', '中心']],
    ['Japanese', '私は東京タワーに行きました', ['東京', 'タワー', '東京タワー', '行きました']],
    ['Korean', '서울에서 만나요', ['서울', '만나']],
    ['scripts side by side', 'die Stadt東京 ist GROSS', ['stadt', '東京', 'gross']],
    ['an emoji', 'well done 🎉 team', ['🎉', 'done 🎉', '🎉 team']],
    ['a family of emoji', 'we are 👩‍👩‍👧 now', ['👩‍👩‍👧', 'we 👩‍👩‍👧']],
    ['the beginning of a word', 'the configuration of it', ['config*', 'the conf*']],
    [
      'signs around words',
      'run `npm install` in C++ (v2.1), e-mail a@b.example',
      ['npm', 'C++', 'v2.1', 'e-mail', 'a@b.example'],
    ],
    ['words with marks of Thai', 'สวัสดีครับ', ['สวัสดี']],
  ])('%s', async (_about, text, queries) => {
    const { find } = await indexOf(said('a', 'user', text), said('b', 'user', 'nothing of that'));
    for (const query of queries) expect(await find(query.split(' ')), query).toEqual(['a']);
  });

  test('all words must be there, in any order; a phrase as it is', async () => {
    const { find } = await indexOf(
      said('a', 'user', 'the quick brown fox'),
      said('b', 'user', 'brown is the quick one'),
      said('c', 'user', 'the quick one'),
    );
    expect((await find(['brown', 'quick'])).sort()).toEqual(['a', 'b']);
    expect(await find(['quick brown'])).toEqual(['a']);
    expect(await find(['"quick brown" fox'])).toEqual(['a']);
    expect(await find(['"quick bro*"'])).toEqual(['a']);
  });

  test('odd input is never an error', async () => {
    const { find } = await indexOf(said('a', 'user', 'a b text'));
    for (const query of ODD) {
      await expect(find(query), query).resolves.toBeInstanceOf(Array);
      await expect(find([query, 'b'], { texts: ['said', 'tools'] }), query).resolves.toBeInstanceOf(Array);
    }
  });

  test('nothing finds nothing', async () => {
    const { find } = await indexOf(said('a', 'user', 'text'));
    expect(await find([])).toEqual([]);
    expect(await find(['  '])).toEqual([]);
  });
});

describe('which and in which order', () => {
  test('what is more about it comes first, of equals the newest', async () => {
    const at = (days: number) => new Date(AT + days * 86_400_000).toISOString();
    const line = (id: string, text: string, days: number) =>
      lineOf({ type: 'message', id, timestamp: at(days), message: { role: 'user', content: text } });
    const { find } = await indexOf(
      line('old', 'apples and pears', 0),
      line('new', 'apples and plums', 3),
      line('long', `apples ${'and many other words '.repeat(40)}`, 5),
      line('much', 'apples apples apples', 1),
      said('x', 'assistant', 'nothing'),
    );
    expect(await find('apples')).toEqual(['much', 'new', 'old', 'long']);
    expect(await find('apples', { since: AT + 2 * 86_400_000 })).toEqual(['new', 'long']);
    expect(await find('apples', { limit: 1 })).toEqual(['much']);
  });

  test('by speaker and agent, and of other folders nothing', async () => {
    const { find } = await indexOf(said('a', 'user', 'word'), said('b', 'assistant', 'word'));
    expect(await find('word', { speaker: 'assistant' })).toEqual(['b']);
    expect(await find('word', { agentId: 'MAIN', speaker: 'user' })).toEqual(['a']);
    expect(await find('word', { agentId: 'other' })).toEqual([]);
    expect(await find('word', { roots: ['/elsewhere'] })).toEqual([]);
  });

  test('filters hold also where a word is in very many messages', async () => {
    const many = Array.from({ length: 900 }, (_, n) => said(`u${n}`, 'user', 'common'));
    const { find } = await indexOf(
      ...many,
      said('rare', 'assistant', `common ${'with many other words '.repeat(30)}`),
    );
    expect(await find('common', { speaker: 'assistant' })).toEqual(['rare']);
    expect(await find('common')).toHaveLength(10);
  });

  test('tools are searched where they are asked for: names, arguments, beginnings of results', async () => {
    const call = { type: 'toolCall', id: 'x', name: 'read_file', arguments: { path: 'src/harbour.ts' } };
    const { find, search } = await indexOf(
      lineOf({ type: 'message', id: 'a', message: { role: 'assistant', content: [call] } }),
      lineOf({
        type: 'message',
        id: 'b',
        message: {
          role: 'toolResult',
          toolCallId: 'x',
          content: [{ type: 'text', text: `export lighthouse ${'x '.repeat(9000)} far` }],
        },
      }),
      said('c', 'assistant', 'the harbour is there'),
    );
    expect(await find('harbour')).toEqual(['c']);
    expect((await find('harbour', { texts: ['said', 'tools'] })).sort()).toEqual(['a', 'c']);
    expect(await find('lighthouse', { texts: ['said', 'tools'], speaker: 'tool' })).toEqual(['b']);
    expect(await find('far', { texts: ['tools'] })).toEqual([]);
    expect((await search('read_file', { texts: ['tools'] }))[0]).toMatchObject({
      text: 'tools',
      speaker: 'assistant',
    });
  });
});

describe('the part that is shown', () => {
  test('has the hits, and says where they are', async () => {
    const { search } = await indexOf(
      said('a', 'user', `${'before '.repeat(60)}the Brücke\n\tof  steel${' after'.repeat(60)}`),
    );
    const [hit] = await search(['brucke', 'steel']);
    const { text, hits } = hit!.snippet;
    expect(hits.map(([from, to]) => text.slice(from, to))).toEqual(['Brücke', 'steel']);
    expect(text).toMatch(/^…before .*the Brücke of steel after.*…$/);
    expect(text.length).toBeLessThan(210);
  });

  test('is that of its own message', async () => {
    const { search } = await indexOf(said('a', 'user', 'word one'), said('b', 'user', 'word two'));
    const shown = (await search('word')).map(({ entryId, snippet }) => [entryId, snippet.text]);
    expect(Object.fromEntries(shown)).toEqual({ a: 'word one', b: 'word two' });
  });

  test('marks Chinese and emoji as they are written', async () => {
    const { search } = await indexOf(said('a', 'user', '我住在北京市 🎉'));
    for (const query of ['北京', '🎉']) {
      const [hit] = await search(query);
      const { text, hits } = hit!.snippet;
      expect(text).toBe('我住在北京市 🎉');
      expect(hits.map(([from, to]) => text.slice(from, to))).toEqual([query]);
    }
  });

  test('has nothing that acts on a terminal', async () => {
    const { search } = await indexOf(said('a', 'user', 'a \u001b[31mred\u0007 \u0002word\u0003'));
    const [hit] = await search('word');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(hit!.snippet.text).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe('what is suggested where nothing was found', () => {
  const ask = async (words: readonly string[], ...lines: string[]) => {
    const { database, state } = await indexOf(...lines);
    return suggest(database, { query: parseQuery(words), roots: [state.folder], texts: ['said'], limit: 10 });
  };

  test('the nearest word, the words of a phrase, and tools', async () => {
    const line = said('a', 'user', 'the harbour and the lighthouse');
    expect(await ask(['harbuor'], line)).toMatchObject({
      unknown: [{ word: 'harbuor', nearest: 'harbour' }],
    });
    // One letter of three is not much.
    expect((await ask(['cfg'], said('a', 'user', 'can he'))).unknown).toEqual([
      { word: 'cfg', nearest: undefined },
    ]);
    expect(await ask(['lighthouse harbour'], line)).toMatchObject({ unknown: [], asWords: true });
    const call = { type: 'toolCall', id: 'x', name: 'exec', arguments: { command: 'make' } };
    const tool = lineOf({ type: 'message', id: 'b', message: { role: 'assistant', content: [call] } });
    expect(await ask(['make'], line, tool)).toMatchObject({ inTools: true });
  });
});

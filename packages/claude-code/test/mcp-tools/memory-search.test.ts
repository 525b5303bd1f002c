import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../test/setup/expect-linear.ts';
import { HUNT, tries } from '../../../../test/setup/hunt.ts';
import { readMemoryFiles } from '../../src/mcp-tools/memory-files.ts';
import { rankPassages } from '../../src/mcp-tools/rank-passages.ts';
import { type Loose, makeMcpHome } from '../mcp-server/mcp-home.ts';

const SEARCH = 'openclaw_memory_search';
const BEGIN = '-----BEGIN RSA PRIVATE KEY-----';

function makeNotes(notes: Record<string, string>) {
  const home = makeMcpHome();
  for (const [name, text] of Object.entries(notes)) home.write(`state/workspace/memory/${name}`, text);
  return { ...home, memory: join(home.workspace, 'memory') };
}

describe('what is found', () => {
  const rank = (query: string, ...texts: string[]) =>
    rankPassages(
      texts.map((text, at) => ({ name: `memory/${at}.md`, text })),
      query,
    ).map(({ file, line }) => `${file}:${line}`);

  test('notes that must not be read are left out, and counted', async () => {
    const { connect } = makeNotes({ 'a.md': 'The blue pen.', 'b.md': 'The blue folder.' });
    const searchNotes = async () => [
      { file: 'memory/b.md', line: 1, endLine: 1, heading: '', text: 'The blue folder.', score: 1 },
    ];
    const mayReadNote = (name: string) => name !== 'memory/b.md';
    const call = await connect({ mayReadNote });
    expect((await call(SEARCH, { query: 'blue' })).answer).toMatchObject({
      filesSearched: 1,
      results: [{ file: 'memory/a.md' }],
      leftOut: [{ what: 'files', count: 1 }],
    });
    const indexed = await connect({ mayReadNote, searchNotes });
    expect((await indexed(SEARCH, { query: 'blue' })).answer.results).toEqual([]);
  });

  test('the passage with the most words comes first, with file and line', async () => {
    const { connect } = makeNotes({
      '2026-11-14.md':
        '# Travel\n\nThe train to Hamburg leaves at nine.\n\nTickets are in the blue folder.\n',
      '2026-11-15.md': 'Bought a blue pen.\n',
    });
    const { answer } = await (await connect())(SEARCH, { query: 'where are the blue tickets?' });
    expect(answer).toMatchObject({ filesSearched: 2, leftOut: [] });
    expect(answer.results[0]).toMatchObject({
      file: 'memory/2026-11-14.md',
      line: 5,
      endLine: 5,
      heading: 'Travel',
      snippet: 'Tickets are in the blue folder.',
    });
    expect(answer.results[1]).toMatchObject({ file: 'memory/2026-11-15.md', line: 1 });
    expect(answer.results).toHaveLength(2);
  });

  test('a rare word weighs more than a frequent one', () => {
    const text = `${'the server works\n\n'.repeat(20)}the certificate expired\n`;
    expect(rank('server certificate', text)[0]).toBe('memory/0.md:41');
  });

  test('the same words in the same order weigh more', () => {
    expect(rank('green tea', 'tea and green paint', 'we drink Green  Tea')).toEqual([
      'memory/1.md:1',
      'memory/0.md:1',
    ]);
  });

  test('a heading counts half for the text under it', () => {
    expect(rank('passport', '## Passport\n\nIt is in the drawer.', 'my passport')).toEqual([
      'memory/0.md:1',
      'memory/1.md:1',
      'memory/0.md:3',
    ]);
  });

  test('case, plurals, identifiers and other scripts', () => {
    expect(rank('Session', 'many sessions', 'listAllSessions()', 'SESSION', 'obsession')).toHaveLength(3);
    expect(rank('東京', '明日は東京に行く', '大阪')).toEqual(['memory/0.md:1']);
  });

  test.each([
    ['## Passport ##', 'Passport'],
    ['#   C#  ', 'C#'],
    ['###### a # b   ###  ', 'a # b'],
    ['# ###', ''],
    ['####### seven', ''],
    ['#tag', ''],
  ])('the heading %j says %j', (line, heading) => {
    const [passage] = rankPassages([{ name: 'x', text: `${line}\n\nneedle` }], 'needle');
    expect(passage?.heading).toBe(heading);
  });

  test('words that occur nowhere find nothing', async () => {
    const { connect } = makeNotes({ 'a.md': 'hello' });
    expect((await (await connect())(SEARCH, { query: 'zebra' })).answer.results).toEqual([]);
    expect((await (await connect())(SEARCH, { query: '?!' })).answer.results).toEqual([]);
  });

  test('lines are counted whatever ends them, and in long paragraphs and lines', () => {
    const paragraph = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n');
    expect(rankPassages([{ name: 'x', text: `${paragraph}\nneedle` }], 'needle')[0]).toMatchObject({
      line: 25,
      endLine: 31,
    });
    expect(rank('needle', 'one\r\n\r\nneedle')).toEqual(['memory/0.md:3']);
    const long = `first\n${'word '.repeat(50_000)}needle`;
    expect(rankPassages([{ name: 'x', text: long }], 'needle')[0]).toMatchObject({ line: 2, endLine: 2 });
  });
});

describe('bounds', () => {
  test('many results are cut to the wanted number, and the answer to its size', async () => {
    const paragraph = `needle ${'ü'.repeat(1500)}\n\n`;
    const { connect } = makeNotes({ 'a.md': paragraph.repeat(100) });
    const call = await connect();
    const few = await call(SEARCH, { query: 'needle', max_results: 2 });
    expect(few.answer.results).toHaveLength(2);
    expect(few.answer.leftOut).toEqual([{ what: 'results', count: 98 }]);
    expect([...few.answer.results[0].snippet]).toHaveLength(600);
    const many = await call(SEARCH, { query: 'needle', max_results: 30 });
    expect(Buffer.byteLength(many.text)).toBeLessThanOrEqual(32_000);
    expect(many.answer.leftOut).toEqual([{ what: 'results', count: 100 - many.answer.results.length }]);
  });

  test('of a huge note the beginning is read, and of too many notes the newest', async () => {
    const { workspace } = makeNotes({
      '1.md': 'old',
      ...Object.fromEntries(
        Array.from({ length: 17 }, (_, at) => [`2-${at + 10}.md`, 'x'.repeat(600 * 1024)]),
      ),
    });
    const { files, unread } = await readMemoryFiles(workspace);
    expect(files[0]!.text).toHaveLength(512 * 1024);
    expect(files.map(({ name }) => name)[0]).toBe('memory/2-26.md');
    expect(files).toHaveLength(16);
    expect(unread).toBe(2);
  });

  test.each<[string, (length: number) => string]>([
    ['a heading of spaces', (length) => `# a${' '.repeat(length)}b`],
    ['a heading of hashes', (length) => `# ${' #'.repeat(length / 2)}b`],
    ['a key with a line that breaks otherwise', (length) => `${BEGIN}\n${'A'.repeat(length)}\u2028`],
    ['a key of spaces', (length) => `${BEGIN}\n${' '.repeat(length)}x`],
    ['a key of empty lines', (length) => `${BEGIN}${'\r\n'.repeat(length / 2)}x`],
    ['keys that only begin', (length) => `${BEGIN}\n`.repeat(length / 32)],
  ])('a note takes time by its length, also with %s', HUNT, (_name, compose) => {
    expectLinear(tries({ gate: 3000, torture: 50_000 }), (length) => {
      const text = `${compose(length)}\n\nneedle`;
      expect(rankPassages([{ name: 'x', text }], 'needle')).not.toEqual([]);
    });
  });

  test('secrets are hidden', async () => {
    const { connect } = makeNotes({ 'a.md': 'router key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' });
    const { text } = await (await connect())(SEARCH, { query: 'router' });
    expect(text).toContain('router');
    expect(text).not.toContain('klmnopqrstuvwxyz');
  });

  const KEY = Array.from({ length: 40 }, (_, at) => `${at + 10}needleMIIEvQIBADANBgkqhkiG9w0BAQEFAASC`);
  test.each([
    ['with its end', [BEGIN, ...KEY, '-----END RSA PRIVATE KEY-----']],
    ['without its end', [BEGIN, 'Proc-Type: 4,ENCRYPTED', '', ...KEY]],
    ['twice', [BEGIN, ...KEY, BEGIN, ...KEY, '-----END RSA PRIVATE KEY-----']],
    ['with empty lines', [BEGIN, '', ...KEY.flatMap((line) => [line, '']), '-----END PRIVATE KEY-----']],
  ])('a private key longer than a passage is hidden, %s, and lines stay where they are', (_name, key) => {
    const text = ['before', ...key, 'The needle is here.'].join('\n');
    const passages = rankPassages([{ name: 'x', text }], 'needle redacted');
    expect(JSON.stringify(passages)).not.toContain('MIIEv');
    expect(passages.find((passage) => passage.text.includes('The needle'))?.endLine).toBe(key.length + 2);
  });

  test('a secret where a long line is cut is hidden, and cannot be searched for', () => {
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop';
    const text = `${'needle '.repeat(283)}${secret} ${'needle '.repeat(20)}`;
    expect(text.indexOf(secret)).toBeLessThan(2000);
    expect(text.indexOf(secret) + secret.length).toBeGreaterThan(2000);
    const files = [{ name: 'x', text }];
    expect(JSON.stringify(rankPassages(files, 'needle'))).not.toMatch(/abcdefghij|0123456789/);
    expect(rankPassages(files, 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop')).toEqual([]);
  });

  test('a secret where a huge note is cut is left out', async () => {
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const { workspace } = makeNotes({ 'a.md': `${'x '.repeat(256 * 1024 - 8)}${secret}` });
    const { files } = await readMemoryFiles(workspace);
    expect(files[0]!.text).toHaveLength(512 * 1024 - 17);
  });
});

describe('where it looks', () => {
  test('only Markdown directly in the memory folder, of the agent’s own workspace', async () => {
    const { connect, write } = makeNotes({ 'a.md': 'needle', 'b.txt': 'needle', '.hidden.md': 'needle' });
    write('state/workspace/memory/below/c.md', 'needle');
    write('state/workspace/NOTES.md', 'needle');
    write('state/workspace-work/memory/w.md', 'needle of work');
    const search = async (own = {}) =>
      (await (await connect(own))(SEARCH, { query: 'needle' })).answer.results.map(({ file }: Loose) => file);
    expect(await search()).toEqual(['memory/a.md']);
    expect(await search({ agentId: 'work' })).toEqual(['memory/w.md']);
    expect(await search({ agentId: 'nobody' })).toEqual([]);
    write('home/notes/memory/h.md', 'needle at home');
    expect(await search({ workspace: '~/notes' })).toEqual(['memory/h.md']);
  });

  test('one note can be searched alone', async () => {
    const { connect } = makeNotes({ 'a.md': 'needle', 'b.md': 'needle' });
    const call = await connect();
    for (const file of ['b.md', 'memory/b.md']) {
      const { answer } = await call(SEARCH, { query: 'needle', file });
      expect(answer.results.map((result: Loose) => result.file)).toEqual(['memory/b.md']);
    }
  });

  test.each([
    ['../NOTES.md', 'PATH_ESCAPES_FOLDER'],
    ['memory/../../secret.md', 'PATH_ESCAPES_FOLDER'],
    ['/etc/passwd', 'PATH_ESCAPES_FOLDER'],
    ['..', 'PATH_ESCAPES_FOLDER'],
    ['..\\secret.md', 'PATH_ESCAPES_FOLDER'],
    ['a.md\0', 'PATH_ESCAPES_FOLDER'],
    ['none.md', 'INVALID_ARGUMENT'],
    ['linked.md', 'INVALID_ARGUMENT'],
  ])('the note %j is refused', async (file, code) => {
    const { connect, memory, write } = makeNotes({ 'a.md': 'needle' });
    symlinkSync(write('secret.md', 'needle'), join(memory, 'linked.md'));
    const { isError, text } = await (await connect())(SEARCH, { query: 'needle', file });
    expect([isError, text.split(':')[0]]).toEqual([true, code]);
  });

  test('links that lead out, folders and pipes are not read; a link within is', async () => {
    const { connect, memory, write } = makeNotes({ 'a.md': 'needle' });
    symlinkSync(write('secret.md', 'needle secret'), join(memory, 'out.md'));
    symlinkSync('/dev/zero', join(memory, 'endless.md'));
    symlinkSync(join(memory, 'gone'), join(memory, 'dangling.md'));
    symlinkSync('a.md', join(memory, 'within.md'));
    mkdirSync(join(memory, 'folder.md'));
    execFileSync('mkfifo', [join(memory, 'pipe.md')]);
    const { answer } = await (await connect())(SEARCH, { query: 'needle' });
    expect(answer.results.map(({ file }: Loose) => file).sort()).toEqual(['memory/a.md', 'memory/within.md']);
    expect(answer.leftOut).toEqual([{ what: 'files', count: 5 }]);
  });

  test('a memory folder that is a link out of the workspace is refused', async () => {
    const { connect, memory, makeFolder } = makeNotes({ 'a.md': 'needle' });
    rmSync(memory, { recursive: true });
    symlinkSync(makeFolder('elsewhere'), memory);
    const { isError, text } = await (await connect())(SEARCH, { query: 'needle' });
    expect([isError, text.split(':')[0]]).toEqual([true, 'PATH_ESCAPES_FOLDER']);
  });

  test('bytes that are no text cause no error', async () => {
    const { connect, memory } = makeNotes({});
    mkdirSync(memory, { recursive: true });
    writeFileSync(join(memory, 'x.md'), Buffer.from([0xff, 0xfe, 0, 0x0a, ...Buffer.from('needle'), 0xc3]));
    expect((await (await connect())(SEARCH, { query: 'needle' })).answer.results[0]).toMatchObject({
      line: 1,
    });
  });
});

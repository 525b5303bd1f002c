import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type MemoryQuestion, searchMemory } from '../../src/memory-search/search-memory.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { startEmbeddings } from './embedding-server.ts';

class NoteHome {
  readonly stateDir = makeTempFolder();
  readonly workspaceDir = join(this.stateDir, 'workspace');
  readonly reports: string[] = [];

  write(name: string, text: string): void {
    const path = join(this.workspaceDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async search(query: string, more: Partial<MemoryQuestion> = {}) {
    const hits = await searchMemory({
      indexPath: join(this.stateDir, 'openbot.sqlite'),
      stateDir: this.stateDir,
      workspaceDir: this.workspaceDir,
      agentId: 'main',
      query,
      sessionKeys: [],
      signal: new AbortController().signal,
      catchUp: async () => {},
      report: (message) => this.reports.push(message),
      ...more,
    });
    return hits.map((hit) => ('note' in hit ? `${hit.note}:${hit.line} ${hit.foundBy}` : hit.sessionKey));
  }
}

test('notes are found by their words, as they are now', async () => {
  const home = new NoteHome();
  home.write('MEMORY.md', '# People\n\nAda likes plums.\n');
  home.write('memory/2026-11-01.md', 'Nothing.\n\nBought a café table.\n');
  home.write('memory/2026-11-02.md', 'Sold the table.\n');
  expect(await home.search('plums')).toEqual(['MEMORY.md:3 words']);
  expect(await home.search('cafe')).toEqual(['memory/2026-11-01.md:3 words']);
  expect(await home.search('people')).toEqual(['MEMORY.md:1 words', 'MEMORY.md:3 words']);
  expect(await home.search('table', { note: 'memory/2026-11-02.md' })).toEqual([
    'memory/2026-11-02.md:1 words',
  ]);
  home.write('memory/2026-11-01.md', 'Bought a chair.\n');
  rmSync(join(home.workspaceDir, 'memory/2026-11-02.md'));
  expect(await home.search('table')).toEqual([]);
  expect(await home.search('chair')).toEqual(['memory/2026-11-01.md:1 words']);
});

test.each(['"', 'a AND (', "'; DROP TABLE chunks; --", '*', 'NEAR(a b)', ' ', '🙂', 'colum:n'])(
  'the query %j is words and nothing else',
  async (query) => {
    const home = new NoteHome();
    home.write('MEMORY.md', 'Ada likes plums.\n');
    expect(await home.search(query)).toEqual([]);
    expect(await home.search('plums')).toHaveLength(1);
  },
);

test('a note that cannot be read now is not forgotten, nor embedded again', async () => {
  const home = new NoteHome();
  const api = await startEmbeddings();
  const embedding = { baseUrl: api.baseUrl, model: 'm' };
  const names = ['MEMORY.md', 'memory/2026-11-01.md'];
  for (const name of names) home.write(name, `Ada likes plums, as ${name} says.\n`);
  expect(await home.search('plums', { embedding })).toHaveLength(2);
  for (const name of names) {
    // Of the same name, and no text.
    rmSync(join(home.workspaceDir, name));
    mkdirSync(join(home.workspaceDir, name));
  }
  expect(await home.search('plums', { embedding })).toHaveLength(2);
  for (const name of names) rmSync(join(home.workspaceDir, name), { recursive: true });
  for (const name of names) home.write(name, `Ada likes plums, as ${name} says.\n`);
  expect(await home.search('plums', { embedding })).toHaveLength(2);
  expect(api.texts.filter((text) => text.includes('says'))).toHaveLength(2);
  for (const name of names) rmSync(join(home.workspaceDir, name));
  expect(await home.search('plums', { embedding })).toEqual([]);
});

test('agents with one workspace find its notes, by words and by meaning', async () => {
  const home = new NoteHome();
  const api = await startEmbeddings();
  const embedding = { baseUrl: api.baseUrl, model: 'm' };
  home.write('MEMORY.md', 'Ada likes plums.\n');
  expect(await home.search('plums', { embedding })).toEqual(['MEMORY.md:1 both']);
  expect(await home.search('apple', { embedding, agentId: 'b' })).toEqual(['MEMORY.md:1 meaning']);
  expect(await home.search('plums', { agentId: 'b' })).toEqual(['MEMORY.md:1 words']);
});

test('notes of another workspace are not found', async () => {
  const home = new NoteHome();
  home.write('MEMORY.md', 'Ada likes plums.\n');
  await home.search('plums');
  const other = join(home.stateDir, 'workspace-b');
  expect(await home.search('plums', { workspaceDir: other, agentId: 'b' })).toEqual([]);
});

test('what means the same is found too, and what is found twice comes first', async () => {
  const home = new NoteHome();
  const api = await startEmbeddings();
  const embedding = { baseUrl: api.baseUrl, model: 'm', apiKey: 'k-1' };
  home.write('memory/a.md', 'The automobile is in the garage.\n');
  home.write('memory/b.md', 'My car is blue.\n');
  home.write('memory/c.md', 'The railway goes north.\n');
  const [first, second] = await home.search('car', { embedding });
  expect([first, second]).toEqual(['memory/b.md:1 both', 'memory/a.md:1 meaning']);
  expect(new Set(api.keys)).toEqual(new Set(['Bearer k-1']));
  expect(home.reports).toEqual([]);
});

test('each passage is embedded once, also when another one of its note changes', async () => {
  const home = new NoteHome();
  const api = await startEmbeddings();
  const embedding = { baseUrl: api.baseUrl, model: 'm' };
  home.write('memory/a.md', 'One car.\n\nTwo plums.\n');
  await home.search('apple', { embedding });
  await home.search('apple', { embedding });
  home.write('memory/a.md', 'A new first line.\n\nOne car.\n\nThree plums.\n');
  expect((await home.search('apple', { embedding }))[0]).toBe('memory/a.md:5 meaning');
  const counts = Object.groupBy(api.texts, (text) => text);
  expect(Object.keys(counts).sort()).toEqual([
    'A new first line.',
    'One car.',
    'Three plums.',
    'Two plums.',
    'apple',
  ]);
  expect(counts['One car.']).toHaveLength(1);
  // Another model makes other vectors.
  await home.search('apple', { embedding: { ...embedding, model: 'other' } });
  expect(api.texts.filter((text) => text === 'One car.')).toHaveLength(2);
});

test('an endpoint that fails leaves the words, and is reported without the key', async () => {
  const home = new NoteHome();
  const api = await startEmbeddings();
  const embedding = { baseUrl: api.baseUrl, model: 'm', apiKey: 'k-secret' };
  home.write('memory/a.md', 'One car.\n');
  api.fails.push(500, 200);
  expect(await home.search('car', { embedding })).toEqual(['memory/a.md:1 both']);
  api.fails.push(401);
  expect(await home.search('car', { embedding })).toEqual(['memory/a.md:1 words']);
  expect(await home.search('car', { embedding: { ...embedding, baseUrl: 'http://127.0.0.1:1/v1' } })).toEqual(
    ['memory/a.md:1 words'],
  );
  expect(home.reports).toEqual([
    expect.stringContaining('it answered with status 401'),
    expect.stringContaining('No embeddings of m from http://127.0.0.1:1/v1'),
  ]);
  expect(home.reports.join()).not.toContain('k-secret');
});

test('vectors of another length are not compared', async () => {
  const home = new NoteHome();
  const api = await startEmbeddings();
  const embedding = { baseUrl: api.baseUrl, model: 'm' };
  home.write('memory/a.md', 'One car.\n');
  await home.search('vehicle', { embedding });
  api.state.tail = 3;
  home.write('memory/b.md', 'Two cars.\n');
  expect(await home.search('vehicle', { embedding })).toEqual(['memory/b.md:1 meaning']);
});

test('a damaged index is made anew, and the search goes on', async () => {
  const home = new NoteHome();
  home.write('MEMORY.md', 'Ada likes plums.\n');
  writeFileSync(join(home.stateDir, 'openbot.sqlite'), 'no database '.repeat(1000));
  expect(await home.search('plums')).toEqual(['MEMORY.md:1 words']);
  expect(home.reports).toEqual([expect.stringContaining('is damaged')]);
});

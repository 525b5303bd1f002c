import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSqlite } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { catchUpState } from '../../src/index-writing/catch-up-state.ts';
import { searchMemory } from '../../src/memory-search/search-memory.ts';
import { makeTalkingState, said } from '../index-writing/talking-state.ts';
import { makeOpenbotPlace } from '../setup/openbot-process.ts';
import { startEmbeddings } from './embedding-server.ts';

test('openbot index rebuild keeps the vectors of texts that did not change', async () => {
  const api = await startEmbeddings();
  const { stateDir, json, env } = makeOpenbotPlace();
  const state = makeTalkingState(stateDir);
  state.add(1, said('a', 'user', 'my car is blue'), said('b', 'assistant', 'and mine is red'));
  state.add(2, said('c', 'user', 'the railway is late'));
  state.setEntries({ 'agent:main:main': { n: 1 }, 'agent:main:other': { n: 2 } });
  const workspaceDir = join(stateDir, 'workspace');
  const note = join(workspaceDir, 'MEMORY.md');
  mkdirSync(workspaceDir);
  writeFileSync(note, 'An automobile.\n\nAn automobile.\n\nSome plums.\n');
  const indexPath = join(stateDir, 'openbot.sqlite');
  const search = async (query: string) => {
    const hits = await searchMemory({
      indexPath,
      stateDir,
      workspaceDir,
      agentId: 'main',
      query,
      sessionKeys: ['agent:main:main', 'agent:main:other'],
      embedding: { baseUrl: api.baseUrl, model: 'm' },
      signal: new AbortController().signal,
      catchUp: (index) => catchUpState(index, stateDir, env),
      report: (message) => expect.unreachable(message),
    });
    return hits.slice(0, 3).map((hit) => ('note' in hit ? hit.line : hit.sessionKey));
  };
  await search('vehicle');
  expect(api.texts.toSorted()).toEqual([
    'An automobile.',
    'Some plums.',
    'user: my car is blue\nassistant: and mine is red',
    'user: the railway is late',
    'vehicle',
  ]);
  writeFileSync(note, 'An automobile.\n\nAn automobile.\n\nSome apples.\n');
  // Twice: nothing is cut into chunks in between.
  await json('index', 'rebuild');
  await json('index', 'rebuild');
  api.texts.length = 0;
  expect((await search('vehicle')).toSorted()).toEqual([1, 3, 'agent:main:main']);
  expect(api.texts.toSorted()).toEqual(['Some apples.', 'vehicle']);
  const db = new (loadSqlite().DatabaseSync)(indexPath, { readOnly: true });
  const count = db.prepare('SELECT count(*) AS n FROM vectors').get()?.n;
  db.close();
  expect(count).toBe(4);
});

const WITHOUT = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(id, context, next) {
    if (id === 'sqlite-vec') throw Object.assign(new Error('no ' + id), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(id, context);
  },
});`;

test('without sqlite-vec everything works, by words', async () => {
  const api = await startEmbeddings();
  const hook = `data:text/javascript,${encodeURIComponent(WITHOUT)}`;
  const { stateDir, start } = makeOpenbotPlace({ NODE_OPTIONS: `--import ${hook}` });
  const run = (args: string[]) => start(args).ended;
  mkdirSync(join(stateDir, 'scripts'), { recursive: true });
  mkdirSync(join(stateDir, 'workspace'));
  writeFileSync(join(stateDir, 'workspace', 'MEMORY.md'), 'The automobile is red.\n\nMy car is blue.\n');
  const steps = [{ tool: 'memory_search', args: { query: 'car' } }, { text: '{{result}}' }];
  writeFileSync(join(stateDir, 'scripts', 'm.json'), JSON.stringify({ turns: [{ steps }] }));
  const config = {
    agents: { defaults: { model: 'script/m' } },
    index: { embedding: { baseUrl: api.baseUrl, model: 'm' } },
  };
  writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify(config));
  const { code, stdout, stderr } = await run(['agent', '-m', 'look for the car', '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('npm install sqlite-vec') });
  const [payload] = (JSON.parse(stdout) as { payloads: { text: string }[] }).payloads;
  expect(JSON.parse(payload!.text).results).toMatchObject([{ at: 'MEMORY.md:3' }]);
  expect(api.texts).toEqual([]);
  const json = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).stdout);
  expect(await json('search', 'look')).toMatchObject({ hits: [{ role: 'user' }] });
  expect(await json('status')).toMatchObject({ index: { isCurrent: true, sessions: 1 }, faults: [] });
  expect((await run(['doctor'])).stdout).not.toContain('✗');
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeOpenbotPlace } from '../setup/openbot-process.ts';
import { startEmbeddings } from './embedding-server.ts';

test('index.embedding: a process asks the endpoint, and finds what means the same', async () => {
  const { stateDir, json } = makeOpenbotPlace({ EMBEDDING_KEY: 'k-2' });
  const api = await startEmbeddings();
  mkdirSync(join(stateDir, 'scripts'), { recursive: true });
  mkdirSync(join(stateDir, 'workspace'));
  writeFileSync(join(stateDir, 'workspace', 'MEMORY.md'), 'The automobile is red.\n\nThe railway is late.\n');
  const steps = [{ tool: 'memory_search', args: { query: 'car', limit: 1 } }, { text: '{{result}}' }];
  writeFileSync(join(stateDir, 'scripts', 'm.json'), JSON.stringify({ turns: [{ steps }] }));
  const embedding = {
    baseUrl: api.baseUrl,
    model: 'small',
    apiKey: ['$', '{EMBEDDING_KEY}'].join(''),
    dimensions: 5,
  };
  const agents = { defaults: { model: 'script/m' } };
  writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify({ agents, index: { embedding } }));
  const { payloads } = await json<{ payloads: { text: string }[] }>('agent', '-m', 'look');
  expect(JSON.parse(payloads[0]!.text).results).toMatchObject([{ at: 'MEMORY.md:1' }]);
  expect(new Set(api.models)).toEqual(new Set(['small']));
  expect(new Set(api.dimensions)).toEqual(new Set([5]));
  expect(new Set(api.keys)).toEqual(new Set(['Bearer k-2']));
});

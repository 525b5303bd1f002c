import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterTest } from '../../../../test/setup/cleaning.ts';

/** Words of one line mean the same here. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle'],
  ['plum', 'fruit', 'apple'],
  ['train', 'railway'],
  ['tax', 'finance', 'money'],
];

/** Imitates an endpoint for embeddings: texts with words of the same meaning have the same direction. */
export async function startEmbeddings() {
  const state = {
    texts: [] as string[],
    models: [] as string[],
    dimensions: [] as (number | undefined)[],
    keys: [] as (string | undefined)[],
    /** The status of the next answers; 200 after them. */
    fails: [] as number[],
    tail: 0,
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { input, model, dimensions } = JSON.parse(body) as {
        input: string[];
        model: string;
        dimensions?: number;
      };
      state.models.push(model);
      state.dimensions.push(dimensions);
      state.keys.push(request.headers.authorization);
      const status = state.fails.shift() ?? 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      if (status !== 200) return response.end('{}');
      state.texts.push(...input);
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text, state.tail) }));
      // The order of the answer is not that of the question.
      return response.end(JSON.stringify({ data: data.reverse() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { ...state, state, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

function vectorOf(text: string, tail: number): number[] {
  const lower = text.toLowerCase();
  const meant = MEANINGS.map((words) => (words.some((word) => lower.includes(word)) ? 1 : 0));
  return [...meant, 0.05, ...Array.from({ length: tail }, () => 0)];
}

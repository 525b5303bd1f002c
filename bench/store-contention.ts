import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BenchRow } from './measure.ts';
import { keyOf, withStore } from './store-fixture.ts';

const PROCESSES = 8;
const TIMES = 250;

/** Updates per second of eight processes on one store, started at the same moment. Fails if one update is missing. */
async function measure(script: string): Promise<number> {
  return withStore(async (path) => {
    const before = JSON.parse(await readFile(path, 'utf8'))[keyOf(0)].outputTokens;
    const children = Array.from({ length: PROCESSES }, (_, index) =>
      spawn(
        process.execPath,
        [
          '--conditions=openbot-source',
          fileURLToPath(new URL(`./children/${script}`, import.meta.url)),
          path,
          String(index + 1),
          String(TIMES),
        ],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      ),
    );
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    const started = performance.now();
    for (const child of children) child.stdin.write('go\n');
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    const seconds = (performance.now() - started) / 1000;
    if (codes.some((code) => code !== 0)) throw new Error(`${script} failed`);
    const after = JSON.parse(await readFile(path, 'utf8'));
    if (after[keyOf(0)].outputTokens - before !== PROCESSES * TIMES)
      throw new Error(`${script} lost updates`);
    return (PROCESSES * TIMES) / seconds;
  });
}

export default async function bench(): Promise<BenchRow[]> {
  const ours = await measure('store-ours.ts');
  const peer = await measure('store-peer.js');
  return [
    {
      name: '8 processes x 250 updates of a 5,000-entry store, none lost, against proper-lockfile and write-file-atomic',
      ours: `${ours.toFixed(1)} a second`,
      peer: `${peer.toFixed(1)} a second`,
      ratio: ours / peer,
      limit: 1,
      better: 'higher',
    },
  ];
}

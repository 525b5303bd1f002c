import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchRow } from './measure.ts';
import { inTempFolder, runNode } from './occ-command.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
const ROUNDS = 15;

/** `openbot agent` from its start to its end: a message, the answer of the script model, all of it kept. */
async function measure(folder: string, name: string, config?: string): Promise<BenchRow> {
  const stateDir = join(folder, name.replaceAll(' ', '-'));
  await mkdir(stateDir);
  if (config !== undefined) await writeFile(join(stateDir, 'openbot.json'), config);
  let ours = Number.POSITIVE_INFINITY;
  let node = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const args = [OPENBOT, 'agent', '-m', 'hello', '--state-dir', stateDir];
    ours = Math.min(ours, (await runNode(args, { env: { HOME: folder } })).ms);
    node = Math.min(node, (await runNode(['-e', '0'])).ms);
  }
  return {
    name: `openbot agent, ${name}, against node -e 0`,
    ours: `${ours.toFixed(1)} ms`,
    peer: `${node.toFixed(1)} ms`,
    ratio: ours / node,
    limit: 4,
    better: 'lower',
  };
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => [
    await measure(folder, 'without a configuration'),
    await measure(folder, 'with openbot.json', '{"agents":{"defaults":{"model":"script/echo"}}}'),
    await measure(folder, 'with openbot.json in JSON5', '{ agents: { defaults: { model: "script/echo" } } }'),
  ]);
}

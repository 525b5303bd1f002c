import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { againstNode } from './against-node.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder } from './occ-command.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
const ROUNDS = 15;

/** `openbot agent` from its start to its end: a message, the answer of the script model, all of it kept. */
async function measure(folder: string, name: string, config?: string): Promise<BenchRow> {
  const stateDir = join(folder, name.replaceAll(' ', '-'));
  await mkdir(stateDir);
  if (config !== undefined) await writeFile(join(stateDir, 'openbot.json'), config);
  const command = { program: 'openbot', path: OPENBOT, home: folder, rounds: ROUNDS };
  return againstNode(command, `agent, ${name}`, ['agent', '-m', 'hello', '--state-dir', stateDir], 4);
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => [
    await measure(folder, 'without a configuration'),
    await measure(folder, 'with openbot.json', '{"agents":{"defaults":{"model":"script/echo"}}}'),
    await measure(folder, 'with openbot.json in JSON5', '{ agents: { defaults: { model: "script/echo" } } }'),
  ]);
}

/** `openbot agent -m hello`, the whole command, as the second message of a session. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchRow } from './measure.ts';
import { inTempFolder, runNode } from './occ-command.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
const ROUNDS = 15;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const args = [OPENBOT, 'agent', '-m', 'hello', '--state-dir', join(folder, 'state')];
    const say = () => runNode(args, { env: { HOME: folder } });
    // The first makes the state folder and the session.
    await say();
    await say();
    const [ours, node]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push((await say()).ms);
      node.push((await runNode(['-e', '0'])).ms);
    }
    const [least, peer] = [Math.min(...ours), Math.min(...node)];
    return [
      {
        name: 'openbot agent -m hello with the script model, against node -e 0',
        ours: `${least.toFixed(1)} ms`,
        peer: `${peer.toFixed(1)} ms`,
        ratio: least / peer,
        limit: 4,
        better: 'lower',
      },
    ];
  });
}

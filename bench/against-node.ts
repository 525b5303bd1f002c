import type { BenchRow } from './measure.ts';
import { runNode } from './occ-command.ts';

/** The fastest start of a command against that of Node itself, both in turn. */
export async function againstNode(
  command: {
    readonly program: string;
    readonly path: string;
    readonly home: string;
    readonly rounds: number;
  },
  name: string,
  args: readonly string[],
  limit: number,
): Promise<BenchRow> {
  let ours = Number.POSITIVE_INFINITY;
  let node = Number.POSITIVE_INFINITY;
  for (let round = 0; round < command.rounds; round++) {
    ours = Math.min(ours, (await runNode([command.path, ...args], { env: { HOME: command.home } })).ms);
    node = Math.min(node, (await runNode(['-e', '0'])).ms);
  }
  return {
    name: `${command.program} ${name}, against node -e 0`,
    ours: `${ours.toFixed(1)} ms`,
    peer: `${node.toFixed(1)} ms`,
    ratio: ours / node,
    limit,
    better: 'lower',
  };
}

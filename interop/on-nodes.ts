/**
 * Runs the tests on other versions of Node: `npm run test:nodes`, or `npm run test:nodes -- 26.10.0 packages/occ`, with
 * versions and paths of tests. Exits with 1 where a test fails on one of them.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join, resolve } from 'node:path';
import { ensureNode, NODE_VERSIONS } from './install-node.ts';

const ROOT = resolve(import.meta.dirname, '..');
const isVersion = (text: string) => /^\d+(?:\.\d+){0,2}$/.test(text);

const named = process.argv.slice(2).filter(isVersion);
const rest = process.argv.slice(2).filter((text) => !isVersion(text));
const failed: string[] = [];
for (const version of named.length > 0 ? named : NODE_VERSIONS) {
  const node = await ensureNode(version);
  console.log(`note Node ${version}`);
  const { status } = spawnSync(node, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...rest], {
    cwd: ROOT,
    stdio: 'inherit',
    // What the tests start by the name `node` is the same one.
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  if (status !== 0) failed.push(version);
}
if (failed.length > 0) console.log(`FAIL on Node ${failed.join(' and ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Versions of Node that the tests run on beside the one that comes with the development dependencies. */
import { join } from 'node:path';
import { ensurePackage } from './install-package.ts';

/** The oldest that is allowed, and the newest. */
export const NODE_VERSIONS = ['22.19.0', '26.10.0'] as const;

/** @returns the program */
export async function ensureNode(version: string): Promise<string> {
  // Its install script puts the program in its place.
  const folder = await ensurePackage('node', version, { allowScripts: ['node'] });
  return join(folder, 'bin', 'node');
}

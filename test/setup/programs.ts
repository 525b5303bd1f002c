/**
 * Programs beside the tests that are started as processes. Where one loads much of a package, tests start a bundle of it,
 * made before the first test: loading some hundred source files takes longer than what most of them do.
 */
import { join, relative } from 'node:path';
import { inject } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The file that Node runs. Called with literals, by which test/setup/build-programs.ts finds what it has to make:
 * `programOf(import.meta.dirname, '../bot/chat-process.ts')`.
 */
export function programOf(folder: string, source: string): string {
  const programs = inject('programs');
  if ('fault' in programs) throw new Error(`The programs of the tests could not be made. ${programs.fault}`);
  const path = relative(ROOT, join(folder, source));
  const made = programs.files[path];
  if (made === undefined) throw new Error(`There is no bundle of ${path}`);
  return made;
}

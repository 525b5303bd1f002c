/**
 * The compiler holds the direction too: the real configuration files over a workspace of tiny sources, in a temp
 * folder that is linked the way npm links the real one.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HUNT, sample } from '../setup/hunt.ts';
import { PACKAGE_EDGES } from './table.ts';
import { parseWorkspace, REPOSITORY, readWorkspaceTexts } from './workspace.ts';

const manifests = new Map([...readWorkspaceTexts()].filter(([path]) => path.endsWith('.json')));
const nameOf = new Map(parseWorkspace(manifests).packages.map((one) => [one.folder, one.name]));
const folders = Object.keys(PACKAGE_EDGES);

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'openbot-compile-'));
  for (const name of ['tsconfig.json', 'tsconfig.base.json'])
    copyFileSync(join(REPOSITORY, name), join(root, name));
  for (const [path, text] of manifests) write(path, text);
  for (const name of ['@types/node', 'undici-types']) link(join(REPOSITORY, 'node_modules', name), name);
  for (const folder of folders) {
    link(join(root, 'packages', folder), nameOf.get(folder) ?? '');
    write(`packages/${folder}/src/index.ts`, importing(PACKAGE_EDGES[folder] ?? []));
  }
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function link(target: string, name: string): void {
  mkdirSync(dirname(join(root, 'node_modules', name)), { recursive: true });
  symlinkSync(target, join(root, 'node_modules', name), 'junction');
}

function importing(targets: readonly string[]): string {
  const imports = targets.map(
    (folder, index) => `import { size as s${index} } from '${nameOf.get(folder)}';\n`,
  );
  return `${imports.join('')}export const size: number = ${['1', ...targets.map((_, i) => `s${i}`)].join(' + ')};\n`;
}

function compile(): { code: number | null; output: string } {
  const tsc = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [tsc, '-b', '--pretty', 'false'], { cwd: root, encoding: 'utf8' });
  return { code: run.status, output: run.stdout + run.stderr };
}

it('the declared edges compile', () => {
  expect(compile()).toEqual({ code: 0, output: '' });
});

// Each way on its own: the compiler names only the first import of a file that is not part of the project.
it.each(
  sample(
    [
      ['by name', (to: string) => importing([to])],
      ['by path', (to: string) => `export { size } from '../../${to}/src/index.ts';\n`],
      ['as a type', (to: string) => `export type Size = typeof import('${nameOf.get(to)}');\n`],
    ],
    { gate: 1 },
  ),
)('no other edge does, %s, even where the other package is built', HUNT, (_, importOf) => {
  expect(compile().code).toBe(0);
  const forbidden = folders.flatMap((from) =>
    folders
      .filter((to) => to !== from && !PACKAGE_EDGES[from]?.includes(to))
      .map((to) => {
        const place = `packages/${from}/src/to-${to}.ts`;
        write(place, importOf(to));
        return place;
      }),
  );
  const { code, output } = compile();
  expect(code).not.toBe(0);
  const refused = new Set(
    [...output.matchAll(/^(packages\/\S+?\.ts)\(1,\d+\): error TS6307/gm)].map((m) => m[1]),
  );
  expect([...refused].sort()).toEqual(forbidden.sort());
});

/**
 * Makes dist/bin, the command line as it is installed, with the sessions library inside. A process loads two files of
 * it: the start, and the command. Each of those is a bundle of its own, since every further file costs start-up time;
 * what both need is in both, so an error that crosses over is known by its code and not by its class. It is not
 * minified: with the compile cache that saves no time, and it would spoil stack traces.
 */
import fs from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type OutputFile, type Plugin } from 'esbuild';
import { COMMAND_NAMES } from '../src/cli/flag-table.ts';

const PACKAGE = join(import.meta.dirname, '..');
const SOURCE = join(PACKAGE, 'src');
const OUTPUT = join(PACKAGE, 'dist', 'bin');

/** The bundles, by name. */
const ENTRIES = new Map([
  ['occ', join(SOURCE, 'cli', 'start.ts')],
  ['load-files', join(SOURCE, 'config', 'load-files.ts')],
  ...COMMAND_NAMES.map((name) => [name, join(SOURCE, 'commands', `${name}.ts`)] as const),
]);

/**
 * Files that are as they should be are not touched, the others are replaced whole: a process may be loading them. For
 * the same reason the files of former builds stay, unless `clean` says otherwise.
 */
export async function bundleOcc(options: { clean?: boolean } = {}): Promise<void> {
  const files = (await Promise.all([...ENTRIES].map(([name, path]) => bundleEntry(name, path)))).flat();
  await mkdir(OUTPUT, { recursive: true });
  // The start last: what it names is there when it appears.
  const ordered = files.toSorted((a, b) => Number(isStart(a)) - Number(isStart(b)));
  for (const { path, text } of ordered) await replaceFile(path, text);
  if (options.clean) await removeFormer(new Set(files.map(({ path }) => basename(path))));
}

async function bundleEntry(name: string, path: string): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    entryPoints: { [name]: path },
    outdir: OUTPUT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    conditions: ['openbot-source'],
    external: ['c12', 'zod'],
    chunkNames: `${name}-[name]-[hash]`,
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
    plugins: [otherBundles, bareFileSystem],
  });
  return outputFiles;
}

/** What is imported when it is needed, and is a bundle, stays a file of its own. */
const otherBundles: Plugin = {
  name: 'other-bundles',
  setup(builder) {
    builder.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
      if (kind !== 'dynamic-import') return undefined;
      const target = join(resolveDir, path);
      const name = [...ENTRIES].find(([, entry]) => entry === target)?.[0];
      return name === undefined ? undefined : { path: `./${name}.js`, external: true };
    });
  },
};

/**
 * `import … from 'node:fs'` reads everything that the module has, its streams too, which are loaded for it: a tenth of
 * the time that Node itself takes to start. What it has ready is asked for by name instead.
 */
const bareFileSystem: Plugin = {
  name: 'bare-file-system',
  setup(builder) {
    const ready = Object.entries(Object.getOwnPropertyDescriptors(fs)).filter(([, { get }]) => !get);
    const names = ready.map(([name]) => name).join(', ');
    builder.onResolve({ filter: /^node:fs$/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    builder.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `export const { ${names} } = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

function isStart({ path }: OutputFile): boolean {
  return basename(path) === 'occ.js';
}

async function replaceFile(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

async function removeFormer(current: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(OUTPUT)) {
    if (!current.has(name)) await rm(join(OUTPUT, name), { force: true });
  }
}

if (process.argv[1] === import.meta.filename) await bundleOcc({ clean: true });

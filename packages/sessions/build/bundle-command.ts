/**
 * Makes the `dist/bin` of a package: its command line as it is installed, with the libraries of the workspace inside. A
 * process loads two files of it: the start, and the bundle that holds its command, since every further file costs start-up
 * time. Commands that share most of their code share a bundle. What the start and a command both need is in both files, so
 * an error that crosses over is known by its code or its name and not by its class. It is not minified: with the compile
 * cache that saves no time, and it would spoil stack traces.
 */
import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type OutputFile, type Plugin } from 'esbuild';

export interface CommandBundles {
  /** The folder of the package. */
  readonly folder: string;
  /** The source files of each bundle by its name. The first bundle is the start. */
  readonly entries: ReadonlyMap<string, readonly string[]>;
  /** Packages that are installed beside it and loaded when they are needed. */
  readonly external: readonly string[];
  /** Bundles whose commands never run an `import()` of a source file. They are made without those files. */
  readonly light: readonly string[];
}

/**
 * Files that are as they should be are not touched, the others are replaced whole: a process may be loading them. For
 * the same reason the files of former builds stay, unless `clean` says otherwise.
 */
export async function bundleCommand(
  bundles: CommandBundles,
  options: { clean?: boolean } = {},
): Promise<void> {
  const output = join(bundles.folder, 'dist', 'bin');
  const names = [...bundles.entries.keys()];
  const built = await Promise.all(names.map((name) => bundleEntry(bundles, name, output)));
  await mkdir(output, { recursive: true });
  // The start last: what it names is there when it appears.
  const files = built.toReversed().flat();
  for (const { path, text } of files) await replaceFile(path, text);
  if (options.clean) await removeFormer(output, new Set(files.map(({ path }) => basename(path))));
}

async function bundleEntry(
  { folder, entries, external, light }: CommandBundles,
  name: string,
  output: string,
): Promise<OutputFile[]> {
  const files = entries.get(name)!;
  const { outputFiles } = await build({
    stdin: {
      contents: files.map((file) => `export * from ${JSON.stringify(file)};`).join('\n'),
      resolveDir: folder,
    },
    outfile: join(output, `${name}.js`),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    conditions: ['openbot-source'],
    external: [...external],
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
    plugins: [
      keepOtherBundles(entries),
      ...(light.includes(name) ? [leaveOutLate] : []),
      bareFileSystem,
      lateBuiltins,
      lateTextWidth,
    ],
  });
  return outputFiles;
}

/** What is imported when it is needed, and is a bundle, stays a file of its own. */
function keepOtherBundles(entries: CommandBundles['entries']): Plugin {
  return {
    name: 'other-bundles',
    setup(builder) {
      builder.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
        if (kind !== 'dynamic-import') return undefined;
        const target = join(resolveDir, path);
        const name = [...entries].find(([, files]) => files.includes(target))?.[0];
        return name === undefined ? undefined : { path: `./${name}.js`, external: true };
      });
    },
  };
}

const leaveOutLate: Plugin = {
  name: 'leave-out-late',
  setup(builder) {
    builder.onResolve({ filter: /^(?:\.|@openbot\/)/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, namespace: 'left-out' } : undefined,
    );
    builder.onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error('${path} is left out of this command');`,
    }));
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

/**
 * Loading `node:crypto` takes a seventh of the time that Node itself takes to start, and `node:child_process`, which brings
 * Node's network, a fifth. They are loaded at the first call.
 */
const lateBuiltins: Plugin = {
  name: 'late-builtins',
  setup(builder) {
    const late: Readonly<Record<string, readonly string[]>> = {
      'node:crypto': Object.keys(crypto).filter((name) => /^(create|random)/.test(name)),
      'node:child_process': Object.keys(childProcess).filter((name) => /^(spawn|exec|fork)/.test(name)),
    };
    const filter = /^node:(?:crypto|child_process)$/;
    builder.onResolve({ filter }, ({ path }) => ({ path, namespace: 'late' }));
    builder.onLoad({ filter, namespace: 'late' }, ({ path }) => ({
      contents: (late[path] ?? [])
        .map(
          (name) =>
            `export const ${name} = (...given) => process.getBuiltinModule('${path}').${name}(...given);`,
        )
        .join('\n'),
    }));
  },
};

/** string-width prepares its tables for 20 ms where it is imported. Here it does so at its first call. */
const lateTextWidth: Plugin = {
  name: 'late-text-width',
  setup(builder) {
    builder.onResolve({ filter: /^string-width$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'late' } : undefined,
    );
    builder.onLoad({ filter: /^string-width$/, namespace: 'late' }, ({ path }) => ({
      contents: `export default (...given) => require(${JSON.stringify(path)}).default(...given);`,
      resolveDir: import.meta.dirname,
    }));
  },
};

async function replaceFile(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

async function removeFormer(output: string, current: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(output)) {
    if (!current.has(name)) await rm(join(output, name), { force: true });
  }
}

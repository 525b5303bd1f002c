/**
 * Makes the `dist/bin` of a package: its command line as it is installed, with the libraries of the workspace inside. A
 * process loads the module `<program>.js`, which loads two bundles: the start, and the one that holds its command, since every
 * further file costs start-up time. Commands that share most of their code share a bundle. What the start and a command both
 * need is in both files, so an error that crosses over is known by its code or its name and not by its class. It is not
 * minified: with the code cache that saves no time, and it would spoil stack traces.
 */
import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import fsPromises, { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild';
import { BUNDLE_SCOPE } from '../src/command-line/bundles/load-bundle.ts';

const LOADER = join(import.meta.dirname, '../src/command-line/bundles/load-bundle.ts');

export interface CommandBundles {
  /** The folder of the package. */
  readonly folder: string;
  readonly program: string;
  /** The source files of each bundle by its name. The one called `start` exports the function of that name. */
  readonly entries: ReadonlyMap<string, readonly string[]>;
  /** Packages that are installed beside it and loaded when they are needed. */
  readonly external: readonly string[];
  /** The same, but only where they are imported when they are needed; otherwise they are inside. */
  readonly lateExternal?: readonly string[];
  /** As `external`, but not what is below the name: `zod` and not `zod/mini`. */
  readonly exactExternal?: readonly string[];
  /** Bundles whose commands never run an `import()` of a source file. They are made without those files. */
  readonly light: readonly string[];
  /** The same for some of the files: what a bundle never imports late, by its path. */
  readonly neverLate?: Readonly<Record<string, RegExp>>;
}

type MadeFile = Pick<OutputFile, 'path' | 'text'>;

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
  const built = await Promise.all([
    ...names.map((name) => bundleEntry(bundles, name, output)),
    makeModule(bundles, output),
  ]);
  await mkdir(output, { recursive: true });
  // The module last: what it names is there when it appears.
  const files = built.flat();
  for (const { path, text } of files) await replaceFile(path, text);
  if (options.clean) await removeFormer(output, new Set(files.map(({ path }) => basename(path))));
}

const COMMON: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  conditions: ['openbot-source'],
  legalComments: 'none',
  logLevel: 'silent',
};

/** The one file that Node itself loads. */
async function makeModule({ folder, program }: CommandBundles, output: string): Promise<MadeFile[]> {
  const { outputFiles } = await build({
    ...COMMON,
    stdin: {
      contents: `import { openBundles } from ${JSON.stringify(LOADER)};
        export const start = () => openBundles('${program}', import.meta.dirname)('start').start();`,
      resolveDir: folder,
    },
    outfile: join(output, `${program}.js`),
    format: 'esm',
    write: false,
    plugins: [bareFileSystem, askedBuiltins],
  });
  return outputFiles;
}

async function bundleEntry(
  { folder, entries, external, lateExternal = [], exactExternal = [], light, neverLate = {} }: CommandBundles,
  name: string,
  output: string,
): Promise<MadeFile[]> {
  const files = entries.get(name)!;
  const { outputFiles } = await build({
    ...COMMON,
    stdin: {
      contents: files.map((file) => `export * from ${JSON.stringify(file)};`).join('\n'),
      resolveDir: folder,
    },
    outfile: join(output, `${name}.cjs`),
    format: 'cjs',
    banner: { js: `(function (${BUNDLE_SCOPE.join(', ')}) {` },
    footer: { js: '})' },
    define: { 'import.meta.url': 'bundleUrl', 'import.meta.dirname': 'bundleFolder' },
    external: [...external],
    write: false,
    plugins: [
      otherBundles(entries),
      installedBeside(lateExternal, exactExternal),
      leaveOutLate(light.includes(name) ? /./ : neverLate[name]),
      bareFileSystem,
      lateBuiltins,
      lateTextWidth,
    ],
  });
  return outputFiles.map(({ path, text }) => ({
    path,
    text: text.replaceAll(/(?<![\w$.'"`])import\(/g, 'importModule('),
  }));
}

/** What is imported when it is needed, and is a bundle, stays a file of its own. */
function otherBundles(entries: CommandBundles['entries']): Plugin {
  return {
    name: 'other-bundles',
    setup(builder) {
      builder.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
        const target = join(resolveDir, path);
        const isOther = kind === 'dynamic-import' && [...entries.values()].flat().includes(target);
        return isOther ? { path: target, namespace: 'other-bundle' } : undefined;
      });
      builder.onLoad({ filter: /./, namespace: 'other-bundle' }, ({ path }) => {
        const [name, files] = [...entries].find(([, files]) => files.includes(path))!;
        // Each command calls other functions of the bundle.
        const command = files.length > 1 ? `, '${basename(path, '.ts')}'` : '';
        return { contents: `module.exports = loadBundle('${name}'${command});` };
      });
    },
  };
}

function installedBeside(late: readonly string[], exact: readonly string[]): Plugin {
  return {
    name: 'installed-beside',
    setup(builder) {
      builder.onResolve({ filter: /^[^.]/ }, ({ kind, path }) =>
        (kind === 'dynamic-import' && late.includes(path)) || exact.includes(path)
          ? { path, external: true }
          : undefined,
      );
    },
  };
}

function leaveOutLate(which: RegExp | undefined): Plugin {
  return {
    name: 'leave-out-late',
    setup(builder) {
      builder.onResolve({ filter: /^(?:\.|@openbot\/)/ }, ({ kind, path }) =>
        kind === 'dynamic-import' && which?.test(path) ? { path, namespace: 'left-out' } : undefined,
      );
      builder.onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
        contents: `throw new Error('${path} is left out of this command');`,
      }));
    },
  };
}

/**
 * `import … from 'node:fs'` reads everything that the module has, its streams too, which are loaded for it: a tenth of
 * the time that Node itself takes to start. What it has ready is asked for by name instead.
 */
const bareFileSystem: Plugin = {
  name: 'bare-file-system',
  setup(builder) {
    const names = Object.entries(Object.getOwnPropertyDescriptors(fs))
      // Node loads the last three at their first use, and no command reads a folder bit by bit.
      .filter(([name, { get }]) => !get && !/^(?:Dir|opendir|opendirSync)$/.test(name))
      .map(([name]) => name)
      .join(', ');
    builder.onResolve({ filter: /^node:fs$/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    builder.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `export const { ${names} } = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** An `import` of a builtin makes a second module of all that it exports. For the few calls of the loader, that is not worth it. */
const askedBuiltins: Plugin = {
  name: 'asked-builtins',
  setup(builder) {
    const used: Readonly<Record<string, string>> = {
      'node:path': 'dirname, isAbsolute, join',
      'node:url': 'pathToFileURL',
      'node:vm': 'Script',
    };
    const filter = /^node:(?:path|url|vm)$/;
    builder.onResolve({ filter }, ({ path }) => ({ path, namespace: 'asked' }));
    builder.onLoad({ filter, namespace: 'asked' }, ({ path }) => ({
      contents: `export const { ${used[path]} } = process.getBuiltinModule('${path}');`,
    }));
  },
};

/**
 * Loading `node:crypto` takes a seventh of the time that Node itself takes to start, `node:child_process`, which brings
 * Node's network, a fifth, and `node:fs/promises`, which brings its line editor, a tenth. They are loaded at the first call.
 */
const lateBuiltins: Plugin = {
  name: 'late-builtins',
  setup(builder) {
    const late: Readonly<Record<string, readonly string[]>> = {
      'node:crypto': Object.keys(crypto).filter((name) =>
        /^(create|random|(hash|sign|verify|timingSafeEqual)$)/.test(name),
      ),
      'node:child_process': Object.keys(childProcess).filter((name) => /^(spawn|exec|fork)/.test(name)),
      'node:os': Object.entries(os).flatMap(([name, value]) => (typeof value === 'function' ? name : [])),
      'node:fs/promises': Object.keys(fsPromises).filter((name) => name !== 'constants'),
    };
    const filter = /^node:(?:crypto|child_process|os|fs\/promises)$/;
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

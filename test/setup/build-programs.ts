/** Makes the bundles of the programs that tests start, of test/setup/programs.ts. */
import { globSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The bundle of each program by its source, or why there are none. */
    programs: { readonly files: Readonly<Record<string, string>> } | { readonly fault: string };
  }
}

const ROOT = join(import.meta.dirname, '../..');
const STAMP = join(ROOT, 'node_modules/.cache/openbot-bundles/test-programs.json');
const CALL = /\bprogramOf\(import\.meta\.dirname, '([^']+)'\)/g;

/** Installed beside the packages, and loaded only by what needs them. */
const EXTERNAL = [
  '@anthropic-ai/*',
  '@discordjs/*',
  '@earendil-works/*',
  '@modelcontextprotocol/*',
  'confbox',
  'grammy',
  'sqlite-vec',
  'zod',
];

interface Stamp {
  readonly files: Readonly<Record<string, string>>;
  readonly inputs: readonly string[];
  /** All of them as they were. */
  readonly state: string;
}

/** Makes them, unless they are there and made of these sources. */
export async function buildPrograms(): Promise<Stamp['files']> {
  const files = Object.fromEntries(listPrograms().map((source) => [source, join(ROOT, placeOf(source))]));
  const former = readStamp();
  if (former !== undefined && former.state === describe(files, former.inputs)) return files;
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.keys(files).map((source) => ({
      in: source,
      out: placeOf(source).replace(/\.mjs$/, ''),
    })),
    outdir: ROOT,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['openbot-source'],
    external: EXTERNAL,
    // For libraries inside that are CommonJS.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  for (const { path, text } of outputFiles) replaceFile(path, text);
  const inputs = Object.keys(metafile.inputs);
  const stamp: Stamp = { files, inputs, state: describe(files, inputs) };
  replaceFile(STAMP, JSON.stringify(stamp));
  return files;
}

function listPrograms(): string[] {
  const found = globSync('packages/*/test/**/*.ts', { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(CALL)].map(([, source]) =>
      relative(ROOT, join(ROOT, dirname(path), source!)),
    ),
  );
  return [...new Set(found)].sort();
}

/** Two folders below its package, as many sources are, which look for files of the package from where they are. */
function placeOf(source: string): string {
  const [packages, name, , ...path] = source.replace(/\.ts$/, '.mjs').split(/[\\/]/);
  return [packages, name, 'node_modules', '.test-programs', path.join('.')].join('/');
}

function readStamp(): Stamp | undefined {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return undefined;
  }
}

function describe(files: Stamp['files'], inputs: readonly string[]): string {
  const paths = [...Object.values(files), ...inputs.map((path) => join(ROOT, path))];
  return paths
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return `${path} ${stat?.mtimeMs} ${stat?.size}`;
    })
    .join('\n');
}

/** Whole: a process of another run may be loading it. */
function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}.tmp`, text);
  renameSync(`${path}.${process.pid}.tmp`, path);
}

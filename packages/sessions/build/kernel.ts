/**
 * Makes src/transcript/skim/kernel-code.ts from assembly/, unless it is up to date. The result is committed: its compiler takes
 * 100 MB, and few change the kernel.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installApart } from './install-apart.ts';

const PACKAGE = join(import.meta.dirname, '..');
const ASSEMBLY = join(PACKAGE, 'assembly');
const CODE = join(PACKAGE, 'src', 'transcript', 'skim', 'kernel-code.ts');

const COMPILER = { name: 'assemblyscript', version: '0.28.20' };
const OPTIONS = [
  '-O3',
  '--noAssert',
  ...['--runtime', 'stub'],
  ...['--use', 'abort='],
  ...['--enable', 'simd'],
  // What a short transcript takes: 512 KB. All of it counts for the garbage collector, and a command makes several.
  ...['--initialMemory', '8'],
];

/** The part of the compiler's module that is used. */
interface Asc {
  main(args: readonly string[]): Promise<{ error: Error | null; stderr: { toString(): string } }>;
}

export async function makeKernel(): Promise<void> {
  const mark = `/** Made of assembly/ (${await hashSources()}). Not to be changed by hand. */`;
  const present = await readFile(CODE, 'utf8').catch(() => '');
  if (present.startsWith(mark)) return;
  await writeFile(CODE, `${mark}\nexport const KERNEL_CODE =\n  '${await compile()}';\n`);
}

/** Of everything that the code depends on. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([COMPILER, OPTIONS]));
  for (const name of (await readdir(ASSEMBLY)).sort()) hash.update(await readFile(join(ASSEMBLY, name)));
  return hash.digest('hex').slice(0, 16);
}

async function compile(): Promise<string> {
  const compiler = join(await installApart(COMPILER), 'dist', 'asc.js');
  const { main } = (await import(pathToFileURL(compiler).href)) as Asc;
  const folder = await mkdtemp(join(tmpdir(), 'openbot-kernel-'));
  try {
    const output = join(folder, 'kernel.wasm');
    const { error, stderr } = await main([
      ...['skim.ts', '--baseDir', ASSEMBLY, '--outFile', output],
      ...OPTIONS,
    ]);
    if (error !== null) throw new Error(`the kernel does not compile: ${stderr.toString()}`);
    return (await readFile(output)).toString('base64');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) await makeKernel();

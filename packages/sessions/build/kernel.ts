/** Makes src/transcript/skim/kernel-code.ts from assembly/, unless it is up to date. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '..');
const ASSEMBLY = join(PACKAGE, 'assembly');
const CODE = join(PACKAGE, 'src', 'transcript', 'skim', 'kernel-code.ts');

const OPTIONS = [
  '-O3',
  '--noAssert',
  ...['--runtime', 'stub'],
  ...['--use', 'abort='],
  ...['--enable', 'simd'],
  // What a short transcript takes: 512 KB. All of it counts for the garbage collector, and a command makes several.
  ...['--initialMemory', '8'],
];

export async function makeKernel(): Promise<void> {
  const mark = `/** Made of assembly/ (${await hashSources()}). Not to be changed by hand. */`;
  const present = await readFile(CODE, 'utf8').catch(() => '');
  if (present.startsWith(mark)) return;
  await writeFile(CODE, `${mark}\nexport const KERNEL_CODE =\n  '${await compile()}';\n`);
}

/** Of everything that the code depends on. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(ASSEMBLY)).sort()) hash.update(await readFile(join(ASSEMBLY, name)));
  hash.update(await readFile(import.meta.filename));
  return hash.digest('hex').slice(0, 16);
}

async function compile(): Promise<string> {
  // Slow to load, and mostly there is nothing to compile.
  const { main } = await import('assemblyscript/asc');
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

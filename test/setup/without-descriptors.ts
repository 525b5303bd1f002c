/** A process that has no file descriptor left: nothing can be opened or started, and what can be is noticed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/** Runs a program with at most 128 descriptors. Resolves to its exit code and what it printed. */
export async function runWithFewDescriptors(
  program: string,
  args: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const command = ['-c', 'ulimit -n 128; exec "$0" "$@"', process.execPath, program, ...args];
  const child = spawn('/bin/sh', command, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
}

/** In such a process: takes all descriptors that are left while `body` runs, and gives them back. */
export async function withoutDescriptors<T>(body: () => Promise<T>): Promise<T> {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
  }
  try {
    return await body();
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { cleanEnvironment } from './run-occ.ts';
// Folders go after the children that write to them: hooks run in the opposite order of this.
import './temp-folder.ts';

const running = new Set<ChildProcess>();
// No child outlives its test, also when the test fails.
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all([...running].map((child) => once(child, 'close')));
});

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Resolves to what follows `word ` on the first line that begins so; rejects when the child ends without it. */
  said(word: string): Promise<string>;
  /** A line of its input. */
  tell(line: string): void;
  /** Resolves to the exit code, null after a signal. */
  readonly ended: Promise<number | null>;
}

/** Runs a script beside the tests in a process of its own. */
export function startChild(
  script: URL,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Child {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: cleanEnvironment(env),
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let output = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    process: child,
    pid: child.pid!,
    ended,
    tell: (line) => void child.stdin.write(`${line}\n`),
    said: async (word) => {
      let over = false;
      void ended.then(() => {
        over = true;
      });
      for (;;) {
        const isOver = over;
        const line = output
          .split('\n')
          .slice(0, -1)
          .find((text) => text === word || text.startsWith(`${word} `));
        if (line !== undefined) return line.slice(word.length + 1);
        if (isOver) throw new Error(`The child ended without saying ${word}: ${output}${complaint}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

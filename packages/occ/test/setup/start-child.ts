import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { cleanEnvironment } from './run-occ.ts';

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
  endAfterTest(child);
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

/** No child outlives its test, also when the test fails. */
function endAfterTest(child: ChildProcess): void {
  const closed = once(child, 'close');
  afterTest(() => {
    child.kill('SIGKILL');
    return closed;
  });
}

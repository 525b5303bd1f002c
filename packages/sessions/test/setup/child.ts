import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterTest } from '../../../../test/setup/cleaning.ts';

export type Child = {
  process: ChildProcess;
  /** What it printed so far. */
  output(): string;
  /** Resolves when a line of the output equals `line`; rejects when the child ends first. */
  printed(line: string): Promise<void>;
  /** Resolves to the exit code, null after a signal. */
  ended: Promise<number | null>;
};

/** Runs a TypeScript file beside the tests in a process of its own. */
export function startChild(script: URL, args: readonly string[], env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  endAfterTest(child);
  let text = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    process: child,
    output: () => text,
    ended,
    printed: async (line) => {
      let over = false;
      void ended.then(() => {
        over = true;
      });
      while (!text.split('\n').slice(0, -1).includes(line)) {
        if (over) throw new Error(`The child ended without printing ${line}: ${text}${complaint}`);
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

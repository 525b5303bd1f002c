/** A command as a person sees it: in a process of its own, and if wanted in a terminal. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { noTerminal, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { COMMAND } from './command-file.ts';

export { noTerminal };

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** Waits for a text on stdout or stderr. */
  shows(text: RegExp): Promise<RegExpExecArray>;
}

/** In a terminal of its own, which first shows the pid; what is typed is written to `child.stdin`. */
export function spawnInTerminal(
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string | undefined>>; redirection?: string },
): Command {
  const words = [process.execPath, ...COMMAND, ...args];
  return watchCommand(startInTerminal(words, { ...options, before: 'echo "pid $$"' }).child);
}

export function watchCommand(child: ChildProcess): Command {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (piece: string) => {
      texts[name] += piece;
    });
  }
  let isOver = false;
  const ended = once(child, 'close').then(([code, signal]) => {
    isOver = true;
    return { code, signal, ...texts };
  });
  const shows = (text: RegExp) => {
    const describe = () => `${text} in ${JSON.stringify(texts)}`;
    return waitFor(describe, () => {
      const found = text.exec(texts.stdout + texts.stderr);
      if (found === null && isOver) throw new Error(`the command ended without ${describe()}`);
      return found ?? undefined;
    });
  };
  return { child, ended, shows };
}

/** Looks again and again, for as long as the test may take. */
export async function waitFor<T>(describe: () => string, look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 2400; tries++) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(25);
  }
  throw new Error(`there never was ${describe()}`);
}

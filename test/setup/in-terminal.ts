/** Runs programs in a terminal of their own, made by script(1) of util-linux. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterTest } from './cleaning.ts';

/** Why no program can be run in a terminal here; undefined where it can. */
export const noTerminal =
  spawnSync('script', ['--version']).status === 0 ? undefined : 'there is no script(1) of util-linux';

export interface InTerminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly columns?: number;
  /** Redirections for the program: `2>/dev/null`. */
  readonly redirection?: string;
  /** Run by the shell before the program, in the same terminal: `(sleep 1; stty cols 30) &`. */
  readonly before?: string;
}

export interface Shown {
  /** Everything that the terminal was sent. */
  readonly text: string;
  /** As of a shell: 128 and the number of the signal. */
  readonly code: number | null;
}

export interface TerminalRun {
  readonly child: ChildProcess;
  readonly ended: Promise<Shown>;
  /** Resolves when the terminal was sent a text that matches. Fails when the program ends without one. */
  shows(pattern: RegExp): Promise<void>;
}

export function startInTerminal(words: readonly string[], options: InTerminal): TerminalRun {
  const { env, cwd, columns = 80, redirection = '', before = '' } = options;
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const line = `stty cols ${columns} rows 24\n${before}\nexec ${quoted} ${redirection}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm', SHELL: '/bin/sh', ...env } as NodeJS.ProcessEnv,
  });
  afterTest(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const ended = once(child, 'close').then(([code]): Shown => ({ text, code: code as number | null }));
  const shows = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (pattern.test(text)) resolve();
      };
      child.stdout.on('data', look);
      void ended.then(() => reject(new Error(`it ended without ${pattern} in ${JSON.stringify(text)}`)));
      look();
    });
  return { child, ended, shows };
}

/** Control sequences, and characters. */
const PARTS = new RegExp(`${'\u001b'}\\[[0-9;?]*[A-Za-z]|[\\s\\S]`, 'gu');

/** What is on the screen in the end, line by line: a small terminal that knows what progress lines use. */
export function screenOf(text: string, columns: number): string[] {
  const lines: string[][] = [[]];
  let row = 0;
  let at = 0;
  const line = () => (lines[row] ??= []);
  for (const [part] of text.matchAll(PARTS)) {
    if (part === '\r') at = 0;
    else if (part === '\n') row++;
    else if (part === '\u001b[K') line().length = Math.min(line().length, at);
    else if (part === '\u001b[J') lines.splice(row, lines.length, line().slice(0, at));
    else if (part.endsWith('A') && part.length > 1) row = Math.max(0, row - Number(part.slice(2, -1) || 1));
    else if (!part.startsWith('\u001b')) {
      if (at === columns) {
        row++;
        at = 0;
      }
      const cells = line();
      while (cells.length < at) cells.push(' ');
      cells[at++] = part;
    }
  }
  return Array.from(lines, (cells) => (cells ?? []).join('').trimEnd());
}

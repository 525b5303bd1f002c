import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { cleanEnvironment, OCC_LAUNCHER } from './run-occ.ts';

/** Why there is no pseudo terminal on this machine; undefined where there is one. */
export const NO_TERMINAL = findFault();

/** That of util-linux: others take other flags. */
function findFault(): string | undefined {
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return stdout?.includes('util-linux') ? undefined : 'script of util-linux is not installed';
}

export interface TerminalRun {
  /** All that was written to the terminal, control characters included. */
  readonly output: string;
  readonly code: number;
  /** Whether the terminal reads lines again, and echoes them. */
  readonly isRestored: boolean;
}

export interface TerminalSession {
  /** Resolves when the text was written to the terminal; rejects when the command ended without it. */
  shows(text: string): Promise<void>;
  press(keys: string): void;
  resize(columns: number): void;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<TerminalRun>;
}

interface TerminalOptions {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly columns?: number;
  /** Has the command run by a script of this shell, which does something else afterwards. */
  readonly script?: { readonly shell: string; readonly next: string };
}

/** Runs the real command in a terminal of its own, as a person would. */
export function runInTerminal(
  args: readonly string[],
  { env, cwd, columns = 100, script }: TerminalOptions,
): TerminalSession {
  const command = [process.execPath, OCC_LAUNCHER, ...args].map(quoteForShell).join(' ');
  const own = `echo "pid=$$. tty=$(tty)."; ${script === undefined ? `exec ${command}` : `${command}; ${script.next}`}`;
  // Ctrl-C goes to this shell too, which says afterwards how the terminal is.
  const all = `trap : INT; stty cols ${columns} rows 30; ${script?.shell ?? 'sh'} -c ${quoteForShell(own)}; code=$?; stty -a; echo "code=$code."`;
  const child = spawn('script', ['-qfc', all, '/dev/null'], {
    cwd,
    env: { SHELL: '/bin/sh', TERM: 'xterm', ...cleanEnvironment(env) },
  });
  afterTest(() => child.kill('SIGKILL'));
  let output = '';
  let isOver = false;
  let wake = () => {};
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    wake();
  });
  const ended = once(child, 'close').then((): TerminalRun => {
    isOver = true;
    wake();
    const state = output.slice(output.lastIndexOf('speed '));
    return {
      output: output.slice(0, output.lastIndexOf('speed ')),
      code: Number(/code=(\d+)\./.exec(state)?.[1]),
      isRestored: / icanon/.test(state) && / echo /.test(state),
    };
  });
  return {
    ended,
    async shows(text) {
      while (!output.includes(text)) {
        if (isOver) throw new Error(`The terminal did not show ${text}, but:\n${output}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    press: (keys) => void child.stdin.write(keys),
    resize: (columns) =>
      void spawnSync('stty', ['-F', /tty=(.+?)\./.exec(output)![1]!, 'cols', String(columns)]),
    signal: (signal) => void process.kill(Number(/pid=(\d+)\./.exec(output)![1]), signal),
  };
}

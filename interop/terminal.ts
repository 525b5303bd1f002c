/** A program in a terminal of its own (tmux): what is typed, and what stands on the screen. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenclawHome } from './openclaw-home.ts';
import { runCommand } from './started-processes.ts';

const WAIT_LIMIT_MS = 60_000;

export interface Terminal {
  /** Types a line and presses Enter. */
  enter(line: string): Promise<void>;
  /** A key by tmux's name: `Escape`, `Down`. */
  press(key: string): Promise<void>;
  screen(): Promise<string>;
  /** Waits until the screen is as wanted; throws with the screen where it never is. */
  waitFor(what: RegExp | ((screen: string) => boolean)): Promise<string>;
  close(): Promise<void>;
}

export async function openTerminal(
  home: OpenclawHome,
  env: Readonly<Record<string, string>>,
  command: readonly string[],
): Promise<Terminal> {
  const socket = join(home.root, 'tmux');
  const options = { cwd: home.workspace, env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' } };
  const tmux = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(
      'tmux',
      ['-S', socket, '-f', '/dev/null', ...args],
      options,
    );
    if (code !== 0) throw new Error(`tmux ${args[0]}: ${stderr.trim()}`);
    return stdout;
  };
  await tmux('new-session', '-d', '-x', '140', '-y', '50', command.map(quote).join(' '));
  const screen = () => tmux('capture-pane', '-p');

  async function waitFor(what: RegExp | ((screen: string) => boolean)): Promise<string> {
    const isSo = typeof what === 'function' ? what : (shown: string) => what.test(shown);
    const limit = Date.now() + WAIT_LIMIT_MS;
    for (;;) {
      const shown = await screen();
      if (isSo(shown)) return shown;
      if (Date.now() > limit) throw new Error(`the screen never was as wanted: ${what}\n${shown.trimEnd()}`);
      await sleep(100);
    }
  }

  return {
    screen,
    waitFor,
    async enter(line) {
      await tmux('send-keys', '-l', line);
      // The program completes commands while they are typed: Enter must not be part of the same input.
      await waitFor((shown) => shown.includes(line));
      await tmux('send-keys', 'Enter');
    },
    press: async (key) => void (await tmux('send-keys', key)),
    close: async () => void (await tmux('kill-server').catch(() => {})),
  };
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { CommandInput } from '@openbot/sessions/command-line';
import { startChild, undoAtEnding } from '@openbot/sessions/disk';

/** Where a long text goes, piece by piece. */
export interface TextOutput {
  /** Resolves when more can be taken. False when nothing is wanted any more: the reader left. */
  write(text: string): Promise<boolean>;
  /** Resolves when the reader is done. */
  end(): Promise<void>;
}

type Surroundings = Pick<CommandInput, 'env' | 'terminal'>;

/** The terminal itself. */
export function openDirect({ terminal }: Surroundings): TextOutput {
  return {
    write: async (text) => {
      if (text !== '') terminal.write(text);
      return terminal.lost?.aborted !== true;
    },
    end: async () => {},
  };
}

/** A pager, as soon as the text is longer than the screen. Without one: the terminal itself. */
export function openPaged(surroundings: Surroundings): TextOutput {
  const command = findPager(surroundings.env);
  const direct = openDirect(surroundings);
  if (command === undefined || !surroundings.terminal.isTerminal) return direct;
  const most = (process.stdout.rows || 24) - 1;
  let held = '';
  let lines = 0;
  let output: TextOutput | undefined;
  return {
    async write(text) {
      if (output !== undefined) return output.write(text);
      held += text;
      lines += text.split('\n').length - 1;
      if (lines <= most) return true;
      output = await startPager(command, surroundings).catch(() => direct);
      return output.write(held);
    },
    async end() {
      if (output === undefined) await direct.write(held);
      await output?.end();
    },
  };
}

/** PAGER, or less. An empty PAGER, and `cat`, mean none. */
function findPager(env: Surroundings['env']): string | undefined {
  const { PAGER, PATH = '', TERM } = env;
  if (TERM === 'dumb' || process.platform === 'win32') return undefined;
  if (PAGER !== undefined) return PAGER.trim() === '' || PAGER.trim() === 'cat' ? undefined : PAGER;
  return PATH.split(delimiter).some((folder) => isProgram(join(folder, 'less'))) ? 'less' : undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const NOT_RUN = [126, 127];

async function startPager(command: string, surroundings: Surroundings): Promise<TextOutput> {
  const { env, terminal } = surroundings;
  terminal.eraseProgress();
  const child = await startChild('sh', ['-c', command], {
    // less draws on a screen of its own, so that the old one is there again afterwards.
    env: { ...env, LESS: env.LESS ?? 'R', LESSCHARSET: env.LESSCHARSET ?? 'utf-8', LV: env.LV ?? '-c' },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const stopIgnoring = ignoreInterrupts();
  const forget = undoAtEnding('processes', () => child.kill());
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code: number | null) => {
      isOver = true;
      stopIgnoring();
      forget();
      resolve(code);
    });
  });
  let first: string | undefined;
  // A pager that leaves early closes its end.
  child.stdin!.on('error', () => {});
  return {
    async write(text) {
      first ??= text;
      if (isOver || child.stdin!.destroyed) return false;
      if (child.stdin!.write(text)) return true;
      await Promise.race([once(child.stdin!, 'drain').catch(() => {}), ended]);
      return !isOver;
    },
    async end() {
      child.stdin!.end();
      // What a pager that could not be started was given is shown all the same.
      if (NOT_RUN.includes((await ended) ?? 0)) terminal.write(first ?? '');
    },
  };
}

/** Ctrl-C is a key of the pager, and the terminal sends it to this process too. */
function ignoreInterrupts(): () => void {
  const ignore = () => {};
  process.on('SIGINT', ignore);
  return () => void process.off('SIGINT', ignore);
}

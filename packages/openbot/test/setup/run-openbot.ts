import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { type RanHere as Ran, runHere } from './run-here.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'claude-code');

export type { Ran };

/** A home with Claude Code's folder, a state folder and a place for repositories. */
export interface Home {
  readonly folder: string;
  readonly stateDir: string;
  readonly env: Record<string, string | undefined>;
  run(
    args: readonly string[],
    options?: { cwd?: string; isTTY?: boolean; columns?: number; input?: string },
  ): Promise<Ran>;
  json<T>(...args: string[]): Promise<T>;
}

export function makeHome(): Home {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openbot-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stateDir = join(folder, 'state');
  const claude = join(folder, 'claude');
  mkdirSync(join(claude, 'projects'), { recursive: true });
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: inject('compiled'),
    HOME: folder,
    CLAUDE_CONFIG_DIR: claude,
    OPENBOT_STATE_DIR: stateDir,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const run: Home['run'] = (args, options = {}) =>
    runHere(args, { env, cwd: folder, columns: 100, ...options });
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    if (code !== 0 || stderr !== '') throw new Error(`openbot ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  return { folder, stateDir, env, run, json };
}

/** Gives the home the sessions that Claude Code itself wrote. */
export function addFixtures({ env }: Home): void {
  cpSync(join(FIXTURES, 'projects'), join(env.CLAUDE_CONFIG_DIR!, 'projects'), { recursive: true });
}

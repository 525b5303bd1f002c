/** `openbot` in a process of its own, on a home with sessions of every program. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';
import { COMMAND } from '../setup/command-file.ts';
import { type Command, type Ran, watchCommand } from '../setup/terminal-command.ts';

export function spawnOpenbot(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Command {
  return watchCommand(
    spawn(process.execPath, [...COMMAND, ...args], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        OPENBOT_STATE_DIR: join(home, 'state'),
        NODE_COMPILE_CACHE: inject('compiled'),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

export function runOpenbot(
  home: string,
  args: readonly string[],
  env?: Record<string, string>,
): Promise<Ran> {
  return spawnOpenbot(home, args, env).ended;
}

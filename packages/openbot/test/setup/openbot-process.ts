import { spawn } from 'node:child_process';
import { inject } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { COMMAND } from './command-file.ts';
import { type RanHere, runHere } from './run-here.ts';
import { makeTempFolder } from './temp-folder.ts';
import { type Command, spawnInTerminal, watchCommand } from './terminal-command.ts';

/** A home that is also the place of temporary files, a state folder that does not exist yet, and `openbot` on them. */
export interface OpenbotPlace {
  readonly folder: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  start(args: readonly string[]): Command;
  /** In this process, which is quicker, unless it is to be apart. */
  run(args: readonly string[], input?: string): Promise<RanHere>;
  json<T>(...args: string[]): Promise<T>;
  inTerminal(args: readonly string[]): Command;
}

/** @param isApart `run` starts a process too: for commands that start themselves again */
export function makeOpenbotPlace(
  more: Readonly<Record<string, string>> = {},
  { isApart = false }: { readonly isApart?: boolean } = {},
): OpenbotPlace {
  const folder = makeTempFolder();
  const stateDir = `${folder}/state`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    OPENBOT_STATE_DIR: stateDir,
    TMPDIR: folder,
    NODE_COMPILE_CACHE: inject('compiled'),
    ...more,
  };
  const watch = (command: Command) => {
    afterTest(() => void command.child.kill('SIGKILL'));
    return command;
  };
  const start = (args: readonly string[]) =>
    watch(watchCommand(spawn(process.execPath, [...COMMAND, ...args], { cwd: folder, env })));
  const runApart = async (args: readonly string[], input = '') => {
    const { child, ended } = start(args);
    child.stdin!.on('error', () => {});
    child.stdin!.end(input);
    const { code, stdout, stderr } = await ended;
    // A signal has no code.
    return { code: code ?? -1, stdout, stderr };
  };
  const run: OpenbotPlace['run'] = (args, input) =>
    isApart ? runApart(args, input) : runHere(args, { env, cwd: folder, input });
  return {
    folder,
    stateDir,
    env,
    start,
    run,
    json: async <T>(...args: string[]) => {
      const { code, stdout, stderr } = await run([...args, '--json']);
      if (code !== 0 || stderr !== '') throw new Error(`openbot ${args.join(' ')}: ${code} ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    inTerminal: (args) => watch(spawnInTerminal(args, { cwd: folder, env })),
  };
}

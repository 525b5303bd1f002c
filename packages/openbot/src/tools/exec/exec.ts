import type { Environment } from '@openbot/sessions/layout';
import type { ExecSettings } from '../../config/bot-config.ts';
import { type Tool, toolFailure } from '../contract.ts';
import { choosePassed } from '../passed-variables.ts';
import { rootOf, withFolder } from '../workspace.ts';

export const EXEC = 'exec';
/** Seconds. */
const DEFAULT_TIMEOUT = 300;

/** Runs commands of the model. What a command does is not confined: it has the rights of this process. */
export function makeExec(
  { timeoutSec = DEFAULT_TIMEOUT, passEnv = [] }: ExecSettings,
  env: Environment,
): Tool {
  return {
    name: EXEC,
    description: `Runs a shell command in the workspace and shows its output and exit code. It gets no input. After ${timeoutSec} s it is ended, and so is what it leaves running.`,
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command, for sh.' },
        workdir: {
          type: 'string',
          description: 'The folder to run it in, relative to the workspace. Default: the workspace.',
        },
        timeout: { type: 'number', minimum: 1, description: `Seconds; at most ${timeoutSec}.` },
      },
      required: ['command'],
    },
    changes: true,
    commandOf: ({ command }) => (command as string).trim(),
    run: async ({ command, workdir = '.', timeout = timeoutSec }, context) => {
      const { workspaceDir, signal } = context;
      // Other folders that can be read are not for working in.
      const root = rootOf({ workspaceDir }, workdir as string);
      const seconds = Math.min(timeout as number, timeoutSec);
      // Rarely needed, so it is not loaded with every command.
      const { runCommand } = await import('./run-command.ts');
      const { output, end } = await withFolder(root, workdir as string, (folder) =>
        runCommand({
          command: command as string,
          cwd: folder.path,
          // Programs then write no colours and ask nothing.
          env: { ...choosePassed(env, passEnv), TERM: 'dumb' },
          timeoutMs: seconds * 1000,
          signal,
        }),
      );
      const shown = output === '' ? '(no output)' : output;
      switch (end.by) {
        case 'exit':
          return `${shown}\n(Command exited with code ${end.code})${end.left ? LEFT : ''}`;
        case 'signal':
          return `${shown}\n(Command was ended by ${end.signal})${end.left ? LEFT : ''}`;
        case 'timeout':
          throw toolFailure(`${shown}\n(The command took longer than ${seconds} s and was ended.)`);
        case 'abort':
          throw toolFailure(`${shown}\n(The run was aborted, and the command was ended.)`);
      }
    },
  };
}

const LEFT = '\n(It left processes running in the background. They were ended.)';

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import type { CommandBody, CommandInput } from '@openbot/sessions/command-line';
import { loadSettings, type OccContext } from 'oc-context-cleaner/command-line';
import { CONFIG_FILE_NAME } from '../../config/bot-config.ts';
import { readSessionLayout } from '../../config/session-layout.ts';
import { renameCommands } from './rename-commands.ts';

type Flags = Readonly<Record<string, unknown>> & {
  readonly stateDir?: string;
  readonly source?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
};
type Input = Omit<CommandInput, 'flags'> & { readonly flags: Flags };

/** A command of occ on this program's state folder, with the settings of occ and hints for this command line. */
export function cleanHere(body: CommandBody<never>): CommandBody<Input> {
  return async (input) => {
    const { flags, env, cwd } = input;
    try {
      const settings = await loadSettings({ env, cwd, flags });
      const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
      const context: OccContext = {
        settings,
        host: { calledAs: 'openbot clean', layout: findLayout(stateDir, input) },
      };
      await (body as CommandBody<Input & OccContext>)({
        ...input,
        ...context,
        // Read late: it may fail, and it opens standard input.
        get cwd() {
          return input.cwd;
        },
        get isInteractive() {
          return input.isInteractive;
        },
        env: { ...env, OCC_STATE_DIRECTORY: stateDir },
        flags: {
          ...flags,
          source: flags.source ?? 'openclaw',
          json: settings.outputFormat === 'json',
          verbose: settings.verboseOutput,
        },
      });
    } catch (error) {
      throw renameHint(error);
    }
  };
}

/** Undefined without openbot.json: the folder may be OpenClaw's, whose own configuration occ reads. */
function findLayout(stateDir: string, { env, cwd }: Input) {
  if (!existsSync(join(stateDir, CONFIG_FILE_NAME))) return undefined;
  return readSessionLayout(stateDir, { env, cwd });
}

function renameHint(error: unknown): unknown {
  if (!(error instanceof Error) || !('hint' in error) || typeof error.hint !== 'string') return error;
  return new OpenBotError((error as OpenBotError).code, renameCommands(error.message), {
    hint: renameCommands(error.hint),
    cause: error,
  });
}

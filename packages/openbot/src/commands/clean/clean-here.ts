import { resolve } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import type { CommandBody, CommandInput } from '@openbot/sessions/command-line';
import { openclawLayoutOf } from '@openbot/sessions/layout';
import { loadSettings, type OccContext } from 'oc-context-cleaner/command-line';
import { listConfigured, resolveDefaultAgentId } from '../../config/agents.ts';
import { loadBotConfig } from '../../config/load-config.ts';
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
        host: { calledAs: 'openbot clean', layout: await findLayout(stateDir, input) },
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

/** By openbot.json; undefined without one, where the folder may be OpenClaw's with its own configuration. */
async function findLayout(stateDir: string, { env, cwd }: Input) {
  const { exists, config } = await loadBotConfig(stateDir, env);
  if (!exists) return undefined;
  const agentIds = listConfigured(config).map(({ id }) => id);
  const here = { store: config.session?.store, defaultAgentId: resolveDefaultAgentId(config), agentIds };
  return openclawLayoutOf(stateDir, here, { env, cwd });
}

function renameHint(error: unknown): unknown {
  if (!(error instanceof Error) || !('hint' in error) || typeof error.hint !== 'string') return error;
  return new OpenBotError((error as OpenBotError).code, renameCommands(error.message), {
    hint: renameCommands(error.hint),
    cause: error,
  });
}

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import type { CommandBody, CommandInput } from '@openbot/sessions/command-line';
import { loadSettings, type OccContext } from 'oc-context-cleaner/command-line';
import { CONFIG_FILE_NAME } from '../../config/bot-config.ts';
import { readSessionLayout } from '../../config/session-layout.ts';
import { COMMAND_METHOD } from '../../gateway-client/contract.ts';
import { findGateway } from '../../gateway-process/find-gateway.ts';
import { renameCommands } from './rename-commands.ts';

/** A gateway that takes longer does not work. */
const NOTE_MS = 2000;

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
        host: { calledAs: 'openbot clean', layout: findLayout(stateDir, input), onChange: noteIn(stateDir) },
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

/** Clients of a gateway that runs hear of the change. One that does not answer reads it from the file. */
function noteIn(stateDir: string): NonNullable<NonNullable<OccContext['host']>['onChange']> {
  return async ({ sessionKey, agentId }, change) => {
    if (sessionKey === undefined || agentId === null) return;
    const record = findGateway(stateDir);
    if (record === undefined) return;
    try {
      const { connectGateway } = await import('../../gateway-client/connect-gateway.ts');
      const gateway = await connectGateway(record, NOTE_MS);
      const noted = gateway.call(COMMAND_METHOD.noteChange, { agentId, sessionKey, change });
      await Promise.race([noted, sleep(NOTE_MS, undefined, { ref: false })]).finally(() => gateway.close());
    } catch {
      // What was asked for is done.
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

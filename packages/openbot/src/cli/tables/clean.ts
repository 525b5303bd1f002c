import type { Command, Flags } from '@openbot/sessions/command-line';
import { COMMANDS } from 'oc-context-cleaner/command-line';
import { renameCommands } from '../../commands/clean/rename-commands.ts';
import { AGENT, STATE_DIR } from '../../commands/flags.ts';

const OWN_HELP: Readonly<Record<string, string>> = {
  stateDir: STATE_DIR.stateDir.help,
  agent: AGENT.agent.help,
  allAgents: 'Include every agent',
};

/** The commands of occ, for this state folder. `demo` shows occ itself, and the hidden one is started by occ. */
export const CLEAN_COMMANDS = COMMANDS.filter(({ name, hidden }) => name !== 'demo' && !hidden).map(
  putUnderRoof,
);

function putUnderRoof(command: Command): Command {
  return {
    ...command,
    name: `clean ${command.name}`,
    description: command.description?.map(renameCommands),
    flags: renameInFlags(command.flags),
    examples: command.examples.map(([line, does]) => [renameCommands(line), does]),
    async results() {
      const results = Object.entries((await command.results?.()) ?? {});
      return Object.fromEntries(results.map(([line, shape]) => [renameCommands(line), shape]));
    },
    load: async () => {
      const { cleanHere } = await import('../../commands/clean/clean-here.ts');
      return cleanHere(await command.load());
    },
  };
}

function renameInFlags(flags: Flags): Flags {
  const renamed = Object.entries(flags).map(([key, flag]) => [
    key,
    { ...flag, help: OWN_HELP[key] ?? renameCommands(flag.help) },
  ]);
  return Object.fromEntries(renamed);
}

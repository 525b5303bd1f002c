import type { Command } from '../commands/command.ts';
import type { CommandName } from './flag-table.ts';

/** Each command is loaded alone, when it is called. */
const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  edit: async () => (await import('../commands/edit.ts')).edit,
  clone: async () => (await import('../commands/clone.ts')).clone,
  list: async () => (await import('../commands/list.ts')).list,
  info: async () => (await import('../commands/info.ts')).info,
  restore: async () => (await import('../commands/restore.ts')).restore,
  demo: async () => (await import('../commands/demo.ts')).demo,
};

export function loadCommand(name: CommandName): Promise<Command> {
  return LOADERS[name]();
}

import type { CommandInput } from './command.ts';

/** Whether the first state of a session is kept when its backup is rotated out. */
export function keepsOriginal({ flags, settings }: CommandInput): boolean {
  return flags.noOriginal === true ? false : settings.keepOriginal;
}

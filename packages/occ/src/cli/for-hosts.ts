/**
 * `oc-context-cleaner/command-line`: what another program of this workspace needs in order to have these commands too. It
 * is not published: the bundle of that program has it inside.
 */
export type { OccContext } from '../commands/command.ts';
export { loadSettings } from '../config/settings.ts';
export { COMMANDS } from './command-table.ts';

import { join } from 'node:path';

/** What Node runs the command by: its own file, on the sources as they are. */
export const COMMAND: readonly string[] = [
  '--conditions=openbot-source',
  `--import=${join(import.meta.dirname, 'from-source.ts')}`,
  join(import.meta.dirname, '..', '..', 'bin', 'openbot.js'),
];

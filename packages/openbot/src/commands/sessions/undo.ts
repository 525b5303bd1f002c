import { basename } from 'node:path';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { showPath } from '../session-cells.ts';
import type { PlaceInput } from './place.ts';

/** The commands that put archives back; the id is enough where there is one. */
export function listUndoCommands(
  { flags }: Pick<PlaceInput, 'flags'>,
  sessionId: string,
  archived: readonly string[],
): string[] {
  const place = [
    ...(flags.stateDir === undefined ? [] : ['--state-dir', quoteForShell(flags.stateDir)]),
    ...(flags.store === undefined ? [] : ['--store', quoteForShell(flags.store)]),
  ];
  const isById = archived.length === 1 && Boolean(sessionId) && basename(archived[0]!).startsWith(sessionId);
  const names = isById ? [sessionId] : archived.map(quoteForShell);
  return names.map((name) => ['openbot sessions restore', name, ...place].join(' '));
}

/** Lines that say what was archived, and how to get it back. */
export function describeArchives(
  input: Pick<PlaceInput, 'flags' | 'env'>,
  sessionId: string,
  archived: readonly string[],
): string {
  if (archived.length === 0) return '  It had no transcript, so nothing was archived.\n';
  const lines = [
    ...archived.map((path) => `Archived: ${showPath(path, input.env)}`),
    ...(archived.some(isEntryOnly) ? ['It had no transcript; what was set for it is archived.'] : []),
    ...listUndoCommands(input, sessionId, archived).map((command) => `To undo:  ${command}`),
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

function isEntryOnly(path: string): boolean {
  return path.endsWith('.entry.json');
}

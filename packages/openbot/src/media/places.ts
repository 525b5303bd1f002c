import { join, resolve, sep } from 'node:path';

/** Where files of messages that arrive are kept. */
export function inboundDir(stateDir: string): string {
  return join(resolve(stateDir), 'media', 'inbound');
}

/** The folder of one file that is kept; undefined for a path elsewhere, and for the folder of all of them. */
export function folderOfMedia(stateDir: string, path: string): string | undefined {
  const inbound = inboundDir(stateDir) + sep;
  const absolute = resolve(path);
  if (!absolute.startsWith(inbound)) return undefined;
  const [folder = ''] = absolute.slice(inbound.length).split(sep);
  return FOLDER.test(folder) ? inbound + folder : undefined;
}

/** The name of the folder of one file. */
export const FOLDER = /^[0-9a-f]{32}$/;

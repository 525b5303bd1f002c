import { readdir } from 'node:fs/promises';
import type { Tool, ToolContext } from './contract.ts';
import { type OpenFolder, rootOf, withFolder, withFolderBelow } from './workspace.ts';

const MOST_NAMES = 1000;
/** Folders of other programs with thousands of files that are of no interest. */
export const NOT_ENTERED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export const listFiles: Tool = {
  name: 'list_files',
  description:
    'Lists the files and folders in a folder of the workspace, one per line. Names of folders end with "/".',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The folder, relative to the workspace. Default: the workspace.' },
      recursive: { type: 'boolean', description: 'Also what is in the folders below. Default: false.' },
    },
    required: [],
  },
  changes: false,
  run: async ({ path = '.', recursive = false }, context) => {
    const listing: Listing = { names: [], left: 0 };
    await withFolder(rootOf(context, path as string), path as string, (folder) =>
      list(folder, '', recursive as boolean, listing, context),
    );
    if (listing.names.length === 0) return '(no files)';
    const more = listing.left === 0 ? [] : [`[${listing.left} more are not shown. List a folder below.]`];
    return [...listing.names, ...more].join('\n');
  },
};

interface Listing {
  readonly names: string[];
  /** How many were found beyond the limit; folders beyond it are not entered. */
  left: number;
}

async function list(
  folder: OpenFolder,
  prefix: string,
  recursive: boolean,
  listing: Listing,
  context: ToolContext,
): Promise<void> {
  context.signal.throwIfAborted();
  const entries = await readdir(folder.path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (listing.names.length >= MOST_NAMES) {
      listing.left++;
      continue;
    }
    const isFolder = entry.isDirectory();
    // A line feed in a name would read as two files.
    listing.names.push(prefix + entry.name.replaceAll(/[\r\n]/g, '?') + (isFolder ? '/' : ''));
    if (!recursive || !isFolder || NOT_ENTERED.has(entry.name)) continue;
    await withFolderBelow(folder, entry.name, (below) =>
      list(below, `${prefix}${entry.name}/`, recursive, listing, context),
    ).catch(ignoreUnreadable);
  }
}

/** What cannot be read, or is gone by now, does not end the work on the rest. */
export function ignoreUnreadable(error: NodeJS.ErrnoException): void {
  if (!['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EMFILE'].includes(error.code ?? '')) throw error;
}

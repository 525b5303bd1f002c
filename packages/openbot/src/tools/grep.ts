import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Tool, type ToolContext, toolFailure } from './contract.ts';
import { LineSearch, type LineSearchLimits } from './line-search.ts';
import { ignoreUnreadable, NOT_ENTERED } from './list-files.ts';
import {
  type OpenFolder,
  rootOf,
  withFile,
  withFileBelow,
  withFolder,
  withFolderBelow,
} from './workspace.ts';

const MOST_MATCHES = 200;
const MOST_FILES = 20_000;
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_BYTES_OF_FILE = 10 * 1024 * 1024;
const LONGEST_LINE = 400;

/** @param limits of the search in one file */
export function makeGrep(limits: Partial<LineSearchLimits> = {}): Tool {
  return {
    name: 'grep',
    description: `Finds lines of the text files in the workspace by a regular expression of JavaScript, as path:line: text. At most ${MOST_MATCHES} lines.`,
    parameters: {
      type: 'object',
      properties: {
        pattern: {
          type: 'string',
          description: 'The regular expression. It is matched with each line by itself.',
        },
        path: {
          type: 'string',
          description: 'A file or a folder, relative to the workspace. Default: the workspace.',
        },
        ignoreCase: { type: 'boolean', description: 'Upper and lower case are the same. Default: false.' },
      },
      required: ['pattern'],
    },
    changes: false,
    run: async ({ pattern, path = '.', ignoreCase = false }, context) => {
      const flags = ignoreCase ? 'i' : '';
      checkPattern(pattern as string, flags);
      const lines = new LineSearch(pattern as string, flags, {
        mostMatches: MOST_MATCHES,
        longestLine: LONGEST_LINE,
        ...limits,
      });
      const search: Search = {
        lines,
        found: [],
        realPaths: new Map(),
        files: 0,
        bytes: 0,
        large: 0,
        denied: 0,
      };
      try {
        await searchPlace(search, path as string, context);
      } finally {
        await lines.close();
      }
      return describe(search);
    },
  };
}

function checkPattern(pattern: string, flags: string): void {
  try {
    new RegExp(pattern, flags);
  } catch (error) {
    throw toolFailure(
      `${(error as Error).message}. To look for a text as it is, put \\ before . * + ? ( ) [ ] { } | ^ $`,
    );
  }
}

interface Search {
  readonly lines: LineSearch;
  readonly found: string[];
  /** Of the workspace and of what rules name: found once, not for each file. */
  readonly realPaths: Map<string, string>;
  files: number;
  bytes: number;
  /** Files that were left out because of their size. */
  large: number;
  /** Files that were left out because a rule forbids to read them. */
  denied: number;
  /** Why it ended before all files were searched. */
  stopped?: string;
}

async function searchPlace(search: Search, path: string, context: ToolContext): Promise<void> {
  const root = rootOf(context, path);
  const prefix = path.replace(/^(?:\.?\/+)+|\/+$/g, '');
  try {
    const shown = prefix === '.' || prefix === '' ? '' : `${prefix}/`;
    const place = { shown, full: resolve(context.workspaceDir, path) };
    await withFolder(root, path, (folder) => searchFolder(search, folder, place, context));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
    await withFile(root, path, (handle, { size }) => searchFile(search, path, size, handle, context));
  }
}

/** Names of a folder: what the paths of its files begin with for the model, and the path that rules are about. */
interface FolderNames {
  readonly shown: string;
  readonly full: string;
}

async function searchFolder(
  search: Search,
  folder: OpenFolder,
  names: FolderNames,
  context: ToolContext,
): Promise<void> {
  const entries = await readdir(folder.path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    context.signal.throwIfAborted();
    if (search.stopped !== undefined) return;
    await searchEntry(search, folder, entry, names, context).catch(ignoreUnreadable);
  }
}

async function searchEntry(
  search: Search,
  folder: OpenFolder,
  entry: Dirent,
  names: FolderNames,
  context: ToolContext,
): Promise<void> {
  const { name } = entry;
  const path = names.shown + name.replaceAll(/[\r\n]/g, '?');
  const full = join(names.full, name);
  if (entry.isDirectory()) {
    if (NOT_ENTERED.has(name)) return;
    await withFolderBelow(folder, name, (below) =>
      searchFolder(search, below, { shown: `${path}/`, full }, context),
    );
  } else if (entry.isFile()) {
    // A link may have led here: a rule may be about either name.
    const real = join(folder.realPath, name);
    search.realPaths.set(full, real).set(real, real);
    const isDenied = [...new Set([full, real])].some(
      (one) => context.findReadDenial?.(one, search.realPaths) !== undefined,
    );
    search.realPaths.delete(full);
    search.realPaths.delete(real);
    if (isDenied) search.denied++;
    else if (search.files >= MOST_FILES) search.stopped = `${MOST_FILES} files were searched`;
    else
      await withFileBelow(folder, name, path, (handle, { size }) =>
        searchFile(search, path, size, handle, context),
      );
  }
}

async function searchFile(
  search: Search,
  path: string,
  size: number,
  handle: { readFile(options: { signal: AbortSignal }): Promise<Buffer> },
  { signal }: ToolContext,
): Promise<void> {
  search.files++;
  if (size > MOST_BYTES_OF_FILE) {
    search.large++;
    return;
  }
  if (search.bytes + size > MOST_BYTES) {
    search.stopped = `${MOST_BYTES / 1024 / 1024} MB were searched`;
    return;
  }
  const bytes = await handle.readFile({ signal });
  search.bytes += bytes.length;
  if (bytes.includes(0)) return;
  const result = await search.lines.search(bytes, signal);
  if (result === 'too slow') {
    throw toolFailure(
      `The expression takes too long on ${path}: it can match the same text in too many ways. Nothing more was searched. Use a simpler one.`,
    );
  }
  for (const { line, text } of result) {
    if (search.found.length === MOST_MATCHES) search.stopped = `${MOST_MATCHES} lines were found`;
    else search.found.push(`${path}:${line}: ${text}`);
  }
}

function describe({ found, stopped, large, denied }: Search): string {
  const notes: string[] = [];
  if (large > 0)
    notes.push(`[${countFiles(large)} left out: larger than ${MOST_BYTES_OF_FILE / 1024 / 1024} MB.]`);
  if (denied > 0) notes.push(`[${countFiles(denied)} left out: a rule forbids reading.]`);
  if (stopped !== undefined)
    notes.push(`[There may be more: ${stopped}. Search a folder, or for something rarer.]`);
  return [...(found.length === 0 ? ['(no matches)'] : found), ...notes].join('\n');
}

function countFiles(count: number): string {
  return count === 1 ? '1 file was' : `${count} files were`;
}

/**
 * Paths of a model, confined to a workspace. Links inside of it may be followed, links that lead out may not. A path is
 * first resolved to one without links; then each part of that is opened in the folder opened before it, and a link that
 * has appeared meanwhile is refused. Comparing what was opened with what the path names now is no substitute: the path
 * can change between any two looks at it.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { makeFolder } from '@openbot/sessions/disk';
import { type ToolContext, toolFailure } from './contract.ts';

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** An open folder of the workspace. */
export interface OpenFolder {
  /** Leads to this folder whatever its name is used for by now, where the system can. */
  readonly path: string;
  /** Where it is. */
  readonly realPath: string;
}

/** The folder that a path is confined to when it is read: the workspace, or the one that an absolute path lies in. */
export function rootOf({ workspaceDir, readableDirs = [], folderOf }: Readable, path: string): string {
  const isOther = isAbsolute(path) && !isInside(resolve(workspaceDir), resolve(path));
  if (!isOther) return workspaceDir;
  const other = readableDirs.find((folder) => isInside(resolve(folder), resolve(path)));
  return other ?? folderOf?.(path) ?? workspaceDir;
}

type Readable = Pick<ToolContext, 'workspaceDir' | 'readableDirs' | 'folderOf'>;

/** The workspace and a path in it, both without links. The last parts of the path may not exist. */
interface Place {
  readonly root: string;
  readonly path: string;
  /** Parts that do not exist yet. */
  readonly missing: readonly string[];
}

/** An absolute path is taken if it is inside the workspace. */
async function locate(workspaceDir: string, path: string): Promise<Place> {
  if (path.includes('\0')) throw toolFailure('The path contains a NUL character.');
  if (path.split(/[/\\]/).includes('..'))
    throw toolFailure("The path must not contain '..': it is relative to the workspace.");
  const root = await realpath(workspaceDir).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? toolFailure('The workspace has no files yet.') : cause;
  });
  let existing = resolve(workspaceDir, path);
  if (!isInside(resolve(workspaceDir), existing) && !isInside(root, existing)) throw outside();
  const missing: string[] = [];
  for (;;) {
    try {
      const real = await realpath(existing);
      if (!isInside(root, real)) throw outside();
      return { root, path: join(real, ...missing), missing };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // A link to what does not exist: writing through it could make that.
      if (await isLink(existing)) throw toolFailure('The path leads through a link to a missing file.');
      missing.unshift(basename(existing));
      existing = dirname(existing);
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function outside(): Error {
  return toolFailure('The path is outside of the workspace. Only files of the workspace can be used.');
}

/** Calls `use` with a regular file, open for reading. A pipe or a device in its place is neither read nor waited for. */
export async function withFile<T>(
  workspaceDir: string,
  path: string,
  use: (handle: FileHandle, stats: Stats) => Promise<T>,
): Promise<T> {
  const { root, path: real, missing } = await locate(workspaceDir, path);
  if (missing.length > 0) throw toolFailure(`There is no file ${path}.`);
  if (real === root) throw toolFailure(`${path} is a folder. Use list_files.`);
  return walk({ root, path: dirname(real), missing }, (folder) =>
    withFileBelow(folder, basename(real), path, use),
  );
}

/** Calls `use` with a regular file in an open folder. `path` is the model's name for it. */
export async function withFileBelow<T>(
  folder: OpenFolder,
  name: string,
  path: string,
  use: (handle: FileHandle, stats: Stats) => Promise<T>,
): Promise<T> {
  const handle = await open(join(folder.path, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(refuseLink);
  try {
    await assertUnmoved(join(folder.realPath, name));
    const stats = await handle.stat();
    if (stats.isDirectory()) throw toolFailure(`${path} is a folder. Use list_files.`);
    if (!stats.isFile()) throw toolFailure(`${path} is not a regular file.`);
    return await use(handle, stats);
  } finally {
    await handle.close();
  }
}

/**
 * Calls `use` with the folder and the name of a file that is to be written. A link to another file of the workspace means
 * that file. `make`: the file and folders above it may be missing, and the folders are made.
 */
export async function withFolderOf<T>(
  workspaceDir: string,
  path: string,
  { make = false }: { make?: boolean },
  use: (folder: OpenFolder, name: string) => Promise<T>,
): Promise<T> {
  if (make) await makeFolder(workspaceDir);
  const { root, path: real, missing } = await locate(workspaceDir, path);
  if (real === root) throw toolFailure(`${JSON.stringify(path)} is not the name of a file.`);
  if (missing.length > 0 && !make) throw toolFailure(`There is no file ${path}.`);
  const folder = { root, path: dirname(real), missing: missing.slice(0, -1) };
  return walk(folder, (open) => use(open, basename(real)));
}

/** Calls `use` with an open folder. */
export async function withFolder<T>(
  workspaceDir: string,
  path: string,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const place = await locate(workspaceDir, path);
  if (place.missing.length > 0) throw toolFailure(`There is no folder ${path}.`);
  return walk(place, use);
}

/** From the workspace down to the folder, which is made from the first missing part on. */
async function walk<T>({ root, path, missing }: Place, use: (folder: OpenFolder) => Promise<T>): Promise<T> {
  const names = relative(root, path)
    .split(sep)
    .filter((name) => name !== '');
  const goDown = async (folder: OpenFolder, depth: number): Promise<T> => {
    const name = names[depth];
    if (name === undefined) return use(folder);
    if (depth >= names.length - missing.length) await mkdir(join(folder.path, name)).catch(ignoreExisting);
    return withFolderBelow(folder, name, (below) => goDown(below, depth + 1));
  };
  return withOpen({ path: root, realPath: root }, (folder) => goDown(folder, 0));
}

/** Calls `use` with a folder in an open one, which must not be a link. */
export function withFolderBelow<T>(
  folder: OpenFolder,
  name: string,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  return withOpen({ path: join(folder.path, name), realPath: join(folder.realPath, name) }, use);
}

async function withOpen<T>(
  { path, realPath }: OpenFolder,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK).catch(refuseLink);
  try {
    await assertUnmoved(realPath);
    return await use({ path: HAS_DESCRIPTOR_PATHS ? `/proc/self/fd/${handle.fd}` : realPath, realPath });
  } finally {
    await handle.close();
  }
}

/** Linux resolves a name below an open folder. */
const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Elsewhere a path is resolved anew at each use. This finds most changes, but not one that is undone in time. */
async function assertUnmoved(realPath: string): Promise<void> {
  if (!HAS_DESCRIPTOR_PATHS && (await realpath(realPath)) !== realPath) throw moved();
}

/** With O_DIRECTORY a link is ENOTDIR; so is a file in the place of a folder, which has its own message. */
function refuseLink(error: NodeJS.ErrnoException): never {
  throw error.code === 'ELOOP' ? moved() : error;
}

function moved(): Error {
  return toolFailure('The file was moved while it was opened. Try again.');
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

import { posix } from 'node:path';
import type { ImportSite } from './parse.ts';
import { folderOf, type Workspace } from './workspace.ts';

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly site: ImportSite;
}

export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly folder: string; readonly path: string }
  | { readonly kind: 'outside'; readonly name: string }
  | { readonly kind: 'computed' };

/** What an import points at. A path that leaves `src` is a file all the same: the rules judge it. */
export function resolveImport(workspace: Workspace, from: string, site: ImportSite): Target {
  const specifier = site.specifier;
  if (specifier === undefined) return { kind: 'computed' };
  if (/^\.{0,2}\//.test(specifier) || specifier === '.' || specifier === '..') {
    return { kind: 'file', path: posix.resolve('/', posix.dirname(from), specifier).slice(1) };
  }
  const name = packageName(specifier);
  const local = workspace.packages.find((candidate) => candidate.name === name);
  if (local) return { kind: 'package', folder: local.folder, path: `packages/${local.folder}/src/index.ts` };
  return { kind: 'outside', name };
}

/** `@scope/name` or `name`, without the path inside the package; `node:fs/promises` stays whole. */
export function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Every import between two files of the workspace, type imports and dynamic ones included. */
export function listEdges(workspace: Workspace): Edge[] {
  return workspace.files.flatMap((file) =>
    file.imports.flatMap((site) => {
      const target = resolveImport(workspace, file.path, site);
      return target.kind === 'file' || target.kind === 'package'
        ? [{ from: file.path, to: target.path, site }]
        : [];
    }),
  );
}

/** One line per import that names no file of the workspace. */
export function checkTargetsExist(workspace: Workspace): string[] {
  const known = new Set(workspace.files.map((file) => file.path));
  return listEdges(workspace)
    .filter((edge) => !known.has(edge.to))
    .map(
      (edge) => `${edge.from}:${edge.site.line}: ${edge.site.specifier} names no source file (${edge.to})`,
    );
}

/** One line per cycle, with the files in order. */
export function checkCycles(workspace: Workspace): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of listEdges(workspace)) next.set(from, (next.get(from) ?? new Set()).add(to));

  const done = new Set<string>();
  const open: string[] = [];
  const cycles: string[] = [];
  const visit = (path: string): void => {
    if (done.has(path)) return;
    const start = open.indexOf(path);
    if (start >= 0) {
      cycles.push(`cycle: ${[...open.slice(start), path].map(shorten).join(' -> ')}`);
      return;
    }
    open.push(path);
    for (const target of next.get(path) ?? []) visit(target);
    open.pop();
    done.add(path);
  };
  for (const file of workspace.files) visit(file.path);
  return cycles;
}

function shorten(path: string): string {
  return path.replace(`packages/${folderOf(path)}/src/`, `${folderOf(path)}/`);
}

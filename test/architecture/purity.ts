import { resolveImport } from './graph.ts';
import type { GlobalUse, ParsedFile } from './parse.ts';
import { PURE_MODULES, READING_FS_NAMES, type RoomTable } from './table.ts';
import { folderOf, roomOf, type Workspace } from './workspace.ts';

type Tables = Readonly<Record<string, RoomTable>>;

/** Globals that reach the world, the clock or chance whatever is done with them. */
const FORBIDDEN_GLOBALS = new Set([
  'console',
  'eval',
  'fetch',
  'globalThis',
  'global',
  'navigator',
  'performance',
  'process',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'Temporal',
]);

/** Globals of which only these members are fit for a pure room. */
const ALLOWED_MEMBERS: Readonly<Record<string, (member: string) => boolean>> = {
  Date: (member) => ['UTC', 'parse', 'prototype'].includes(member),
  Math: (member) => member !== 'random',
  crypto: (member) => member === 'subtle',
};

/** Of a DateTimeFormat: without a date they format the present moment. */
const CLOCK_READING_METHODS = new Set(['format', 'formatToParts']);

/** Pure rooms: no disk, process, network, clock or chance. */
export function checkPurity(workspace: Workspace, tables: Tables): string[] {
  return filesIn(workspace, tables, 'pure').flatMap((file) => [
    ...checkImports(workspace, file),
    ...file.globals
      .filter((use) => !isPureUse(use))
      .map((use) => `${file.path}:${use.line}: ${describe(use)} in a pure room; take it as an argument`),
    ...file.bareCalls
      .filter(({ member }) => CLOCK_READING_METHODS.has(member))
      .map(({ member, line }) => `${file.path}:${line}: ${member}() without a date reads the clock`),
  ]);
}

/** Read-only rooms: what they take from the file system module cannot change a file. */
export function checkReadOnly(workspace: Workspace, tables: Tables): string[] {
  return filesIn(workspace, tables, 'readOnly').flatMap((file) =>
    file.imports
      .filter(({ specifier }) => /^(node:)?fs(\/promises)?$/.test(specifier ?? ''))
      .flatMap(({ names, line }) =>
        names
          .filter((name) => !READING_FS_NAMES.includes(name))
          .map((name) => `${file.path}:${line}: "${name}" of the file system in a room that only reads`),
      ),
  );
}

function filesIn(workspace: Workspace, tables: Tables, kind: 'pure' | 'readOnly'): ParsedFile[] {
  return workspace.files.filter((file) => tables[folderOf(file.path)]?.[kind].includes(roomOf(file.path)));
}

function checkImports(workspace: Workspace, file: ParsedFile): string[] {
  return file.imports.flatMap((site) => {
    const place = `${file.path}:${site.line}: `;
    const target = resolveImport(workspace, file.path, site);
    if (target.kind === 'computed') return [`${place}a pure room imports only what is named in the source`];
    if (target.kind !== 'outside') return [];
    const allowed = PURE_MODULES[target.name];
    if (!allowed) return [`${place}a pure room may not import ${site.specifier}`];
    return site.names
      .filter((name) => allowed !== '*' && !allowed.includes(name))
      .map((name) => `${place}a pure room may not import "${name}" of ${site.specifier}`);
  });
}

function isPureUse(use: GlobalUse): boolean {
  if (FORBIDDEN_GLOBALS.has(use.name)) return false;
  const allows = ALLOWED_MEMBERS[use.name];
  if (!allows) return true;
  if (use.member !== undefined) return allows(use.member);
  if (use.name !== 'Date') return false;
  return use.use === 'instanceof' || (use.use === 'new' && use.argumentCount > 0);
}

function describe(use: GlobalUse): string {
  if (use.use === 'new') return `new ${use.name}()`;
  if (use.use === 'call') return `${use.name}()`;
  return use.member === undefined ? use.name : `${use.name}.${use.member}`;
}

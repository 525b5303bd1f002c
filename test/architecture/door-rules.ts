import { posix } from 'node:path';
import { listEdges } from './graph.ts';
import { folderOf, type Workspace } from './workspace.ts';

/** For each package and each of its folders: the files that other folders may import, without `.ts`. */
export type Doors = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface DoorUse {
  /** Of the package. */
  readonly folder: string;
  readonly room: string;
  readonly door: string;
  readonly site: string;
}

export function checkDoors(workspace: Workspace, doors: Doors): string[] {
  const uses = listDoorUses(workspace);
  const closed = uses.flatMap(({ folder, room, door, site }) => {
    const open = doors[folder]?.[room] ?? [];
    if (open.includes(door)) return [];
    return [
      `${site}: ${room}/${door}.ts is no door of ${room} (${open.join(', ') || 'it has none'}); ` +
        `import a door, or add '${door}' to '${room}' of ${folder} in test/architecture/doors.ts`,
    ];
  });
  const used = new Set(uses.map(({ folder, room, door }) => `${folder} ${room} ${door}`));
  const idle = Object.entries(doors).flatMap(([folder, rooms]) =>
    Object.entries(rooms).flatMap(([room, names]) =>
      names
        .filter((name) => !used.has(`${folder} ${room} ${name}`))
        .map(
          (name) =>
            `test/architecture/doors.ts: no other room imports ${room}/${name}.ts; remove '${name}' from '${room}' of ${folder}`,
        ),
    ),
  );
  return [...closed, ...idle];
}

/**
 * Every import of a file in another folder of the same package. Each folder under `src` is a room here, nested ones
 * too; a nested room may import all of the rooms around it. The lists of names that a package offers are not counted:
 * what they may hold is pinned by a test of its surface.
 */
export function listDoorUses(workspace: Workspace): DoorUse[] {
  return listEdges(workspace).flatMap(({ from, to, site }) => {
    const [folder, room] = [folderOf(from), pathInSource(to)];
    const isOwn = `${pathInSource(from)}/`.startsWith(`${room}/`);
    if (folder !== folderOf(to) || room === '' || isOwn || isSurface(from)) return [];
    return [{ folder, room, door: posix.basename(to, '.ts'), site: `${from}:${site.line}` }];
  });
}

function isSurface(path: string): boolean {
  return pathInSource(path) === 'exports' || path.endsWith('/src/index.ts');
}

/** `transcript/rewrite` for `packages/sessions/src/transcript/rewrite/splice.ts`, empty for a file of `src` itself. */
function pathInSource(path: string): string {
  return path.split('/').slice(3, -1).join('/');
}

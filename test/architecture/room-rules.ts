import { listEdges } from './graph.ts';
import { MAX_LINES, type RoomTable, VAGUE_FILES, VAGUE_FOLDERS } from './table.ts';
import { folderOf, roomOf, type Workspace } from './workspace.ts';

type Tables = Readonly<Record<string, RoomTable>>;

/** Inside a package with a table, imports go up the order; a room that the table does not know is a failure. */
export function checkRoomDirection(workspace: Workspace, tables: Tables): string[] {
  const unknown = workspace.files
    .filter((file) => tables[folderOf(file.path)]?.order.includes(roomOf(file.path)) === false)
    .map(
      (file) =>
        `${file.path}: room "${roomOf(file.path)}" is not in the table; give it a place in test/architecture/table.ts`,
    );
  const wrong = listEdges(workspace).flatMap(({ from, to, site }) => {
    const table = tables[folderOf(from)];
    const [room, target] = [roomOf(from), roomOf(to)];
    if (!table || folderOf(from) !== folderOf(to) || room === target || !table.order.includes(room))
      return [];
    const allowed = table.narrower[room] ?? table.order.slice(0, table.order.indexOf(room));
    return allowed.includes(target) ? [] : [`${from}:${site.line}: ${room} may not import ${target}`];
  });
  return [...unknown, ...wrong];
}

/** Folders and files are named for what is in them. */
export function checkNames(workspace: Workspace): string[] {
  return workspace.files.flatMap((file) => {
    const folders = file.path.split('/').slice(3);
    const name = folders.pop()?.replace(/\..*$/, '') ?? '';
    const vague = folders.filter((folder) => VAGUE_FOLDERS.includes(folder));
    return [
      ...vague.map((folder) => `${file.path}: a folder named "${folder}" collects what has no owner`),
      ...(VAGUE_FILES.includes(name)
        ? [`${file.path}: a file named "${name}" collects what has no owner`]
        : []),
    ];
  });
}

export function checkExportStars(workspace: Workspace): string[] {
  return workspace.files.flatMap((file) =>
    file.exportStars.map((line) => `${file.path}:${line}: export * hides what is exported; name it`),
  );
}

export function checkFileLengths(workspace: Workspace): string[] {
  return workspace.files
    .filter((file) => file.lineCount > MAX_LINES)
    .map((file) => `${file.path} has ${file.lineCount} lines, more than ${MAX_LINES}`);
}

/** `node test/architecture/write-doors.ts occ`: lists the doors of a package as they are used, after files were moved. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listDoorUses } from './door-rules.ts';
import { DOORS } from './doors.ts';
import { parseWorkspace, REPOSITORY, readWorkspaceTexts } from './workspace.ts';

const chosen = process.argv.slice(2);
const lists: Record<string, Record<string, readonly string[]>> = {};
for (const [folder, rooms] of Object.entries(DOORS))
  lists[folder] = chosen.includes(folder) ? {} : { ...rooms };
for (const { folder, room, door } of listDoorUses(parseWorkspace(readWorkspaceTexts()))) {
  const rooms = lists[folder];
  if (rooms && chosen.includes(folder)) rooms[room] = [...new Set([...(rooms[room] ?? []), door])].sort();
}
const sorted = Object.entries(lists).map(([folder, rooms]) => [
  folder,
  Object.fromEntries(Object.entries(rooms).sort(([a], [b]) => (a < b ? -1 : 1))),
]);
const path = join(REPOSITORY, 'test/architecture/doors.ts');
const head = readFileSync(path, 'utf8').split('= {')[0];
writeFileSync(path, `${head}= ${JSON.stringify(Object.fromEntries(sorted))};\n`);
execFileSync('npx', ['biome', 'check', '--write', path], { cwd: REPOSITORY, stdio: 'inherit' });

import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { resolveUserPath } from '@openbot/sessions/layout';
import { cutEnd, formatAge, layOutTable, printable } from '@openbot/sessions/terminal-text';
import type { KeptArchive, SessionFolder, SessionKeeper } from '../../kept-sessions/contract.ts';
import { findKeyOf } from '../../kept-sessions/files/kept-entry.ts';
import { findByKey } from '../../kept-sessions/find-session.ts';
import { confirm } from '../confirm.ts';
import { formatSize, showPath } from '../session-cells.ts';
import type { RESTORE_FLAGS } from './flags.ts';
import { openChanges, openPlace } from './place.ts';
import { describeKind } from './session-report.ts';
import { describeArchives, listUndoCommands } from './undo.ts';

/** Puts an archived transcript back. */
export async function sessionsRestore(input: CommandInput<typeof RESTORE_FLAGS>): Promise<void> {
  const { flags, terminal, words, env } = input;
  const [name = ''] = words;
  const { folder, keepers } = await openPlace(input);
  if (name.trim() === '') {
    listAll(input, keepers);
    return;
  }
  const { keeper, archive } = findArchive(input, keepers, name.trim());
  const changes = await openChanges(input, keeper);
  await confirm(input, describeRestore(input, folder, { keeper, archive }));
  const { key, sessionId, path, archived, replaced } = await changes.restore(archive, flags.key);
  if (flags.json) {
    const undo = replaced === undefined ? [] : listUndoCommands(input, replaced.sessionId, replaced.archived);
    writeJson(terminal, { key, sessionId, path, from: archive.path, replaced: replaced ?? null, undo });
    return;
  }
  const transcript =
    path === undefined ? 'It had no transcript; its entry is back' : `Transcript: ${showPath(path, env)}`;
  terminal.say(`${printable(`${key} is session ${sessionId} again`)}\n  ${transcript}\n`);
  if (archived !== undefined) terminal.say(`  Archived: ${showPath(archived, env)}\n`);
  if (replaced === undefined) return;
  terminal.say(printable(`  Meanwhile it was session ${replaced.sessionId}.`));
  terminal.say(`\n${describeArchives(input, replaced.sessionId, replaced.archived)}`);
}

/** For people: what goes where, and what becomes of the session that is there. */
function describeRestore(
  { flags, env }: CommandInput<typeof RESTORE_FLAGS>,
  folder: SessionFolder,
  { keeper, archive }: FoundArchive,
): string {
  const what = `Put ${showPath(archive.path, env)} back`;
  const key = flags.key ?? findKeyOf(archive, keeper.list());
  if (key === undefined) return what;
  const present = findByKey(keeper, key, folder)?.entry.sessionId;
  const isWhole = present === archive.sessionId;
  if (present === undefined || (isWhole && archive.kind !== 'bak')) return `${what} as ${printable(key)}`;
  const gone = isWhole ? 'transcript' : `session ${present}`;
  return printable(`${what} as ${key}, and archive its present ${gone}`);
}

interface FoundArchive {
  readonly keeper: SessionKeeper;
  readonly archive: KeptArchive;
}

function archivesOf(keepers: readonly SessionKeeper[]): FoundArchive[] {
  return keepers.flatMap((keeper) =>
    keeper.listArchives().map((archive): FoundArchive => ({ keeper, archive })),
  );
}

/** What can be put back, the newest first. A backup is put back by the cleaner. */
function listAll(
  { flags, terminal, env }: CommandInput<typeof RESTORE_FLAGS>,
  keepers: readonly SessionKeeper[],
): void {
  const found = archivesOf(keepers.filter(({ takesTurns }) => takesTurns))
    .filter(({ archive }) => archive.kind !== 'backup')
    .sort((one, other) => (other.archive.at ?? 0) - (one.archive.at ?? 0));
  if (flags.json) {
    writeJson(terminal, {
      archives: found.map(({ keeper, archive }) => ({ ...archive, agentId: keeper.agentId })),
    });
    return;
  }
  if (found.length === 0) {
    const folders = keepers.map((keeper) => showPath(dirname(keeper.path), env)).join(', ');
    terminal.say(`Nothing can be put back: there are no archives.\n  Looked in ${folders}\n`);
    return;
  }
  const now = Date.now();
  const lines = layOutTable<FoundArchive>(
    [
      { title: 'ID', show: ({ archive }) => printable(archive.sessionId), cut: keepStart, least: 8 },
      { title: 'WHAT', show: ({ archive }) => describeKind(archive), cut: cutEnd, least: 14 },
      { title: 'WHEN', show: ({ archive: { at } }) => (at === undefined ? '' : formatAge(at, now)) },
      { title: 'SIZE', show: ({ archive }) => formatSize(archive.sizeBytes), isFigure: true, leave: 2 },
      { title: 'AGENT', show: ({ keeper }) => printable(keeper.agentId), cut: cutEnd, least: 6, leave: 1 },
    ],
    found,
    terminal.maxLineWidth,
    (text) => terminal.palette.bold(text),
  );
  terminal.say(`${lines.join('\n')}\nTo put one back: openbot sessions restore <id>\n`);
}

/** An id is named by its beginning. */
const keepStart = (id: string, width: number) => id.slice(0, width);

function findArchive(
  { env }: Pick<CommandInput<typeof RESTORE_FLAGS>, 'env'>,
  keepers: readonly SessionKeeper[],
  name: string,
): FoundArchive {
  const all = archivesOf(keepers);
  const path = /[/\\]/.test(name) ? resolveUserPath(name, env) : undefined;
  const matches = all.filter(({ archive }) =>
    path === undefined
      ? archive.sessionId.startsWith(name) || basename(archive.path) === name
      : archive.path === path,
  );
  const ids = new Set(matches.map(({ archive }) => archive.sessionId));
  if (ids.size > 1) {
    throw new OpenBotError(
      'AMBIGUOUS_SESSION',
      `'${name}' means ${ids.size} sessions: ${[...ids].join(', ')}`,
      {
        hint: 'Give the whole id, or the path of the archive',
      },
    );
  }
  const [found] = matches.filter(({ archive }) => path !== undefined || archive.kind !== 'backup');
  if (found !== undefined) return found;
  const isElsewhere = path !== undefined && existsSync(path) && statSync(path).isFile();
  throw new OpenBotError('SESSION_NOT_FOUND', `There is no archive '${name}'`, {
    hint: isElsewhere
      ? `Archives are beside the store; ${dirname(path)} is another folder. Name its store with --store`
      : `Looked in ${keepers.map((keeper) => dirname(keeper.path)).join(', ')}`,
  });
}

import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { OpenLines, ReadableSession } from 'oc-context-cleaner';
import { readAppended } from './appended-lines.ts';
import { type ChosenEntries, chooseEntries, type HistoryChoice } from './choose-entries.ts';
import { describeHead } from './describe-head.ts';
import type { HistoryNote } from './history-item.ts';
import { readItems } from './read-items.ts';
import type { HistoryRenderer } from './render/contract.ts';

export interface FollowOptions {
  readonly found: ReadableSession;
  /** What is shown first. */
  readonly choice: HistoryChoice;
  /** The session that a key leads to now. */
  findAgain(key: string): Promise<ReadableSession>;
  readonly renderer: HistoryRenderer;
  /** False when nothing is wanted any more. */
  write(text: string): Promise<boolean>;
  readonly lost?: AbortSignal;
}

/** Not every file system tells of changes. */
const POLL_MS = 500;
/** Enough to find the place again where a rewrite removed some of them. */
const IDS_KEPT = 200;

/** How far a session was shown. */
interface Shown {
  readonly found: ReadableSession;
  /** The last entries, newest last. */
  readonly ids: readonly string[];
  readonly turns: number;
  /** Of the file where lines are added: which one it is, and where they will be. */
  readonly file?: { readonly ino: bigint; readonly offset: number; readonly dialect: string | undefined };
  readonly version: Version;
}

/** What the files were like when they were looked at. */
interface Version {
  /** Of what holds the lines. */
  readonly lines: string;
  /** Of what says which session a key leads to. */
  readonly index: string;
}

/**
 * Shows a session, and then what is added to it, until its reader leaves. A rewrite of the file is not repeated, and where the
 * session is reset its key is followed to the new one.
 */
export async function followHistory(options: FollowOptions): Promise<void> {
  const { found, choice, write, lost } = options;
  let { shown, isWanted } = await showFirst(options, found, choice);
  const changes = watchFolder(dirname(found.session.path), lost);
  try {
    while (isWanted && !lost?.aborted) {
      await changes.next();
      const text = await lookAgain(options, shown);
      if (text === undefined) continue;
      shown = text.shown;
      isWanted = text.rendered === '' || (await write(text.rendered));
    }
  } finally {
    changes.close();
  }
}

async function showFirst(
  { renderer, write }: FollowOptions,
  found: ReadableSession,
  choice?: HistoryChoice,
): Promise<{ shown: Shown; isWanted: boolean }> {
  const version = await readVersion(found);
  const lines = await found.open();
  try {
    const chosen = chooseEntries(lines.transcript, choice);
    let isWanted = await write(renderer.begin(describeHead(found, chosen)));
    for (const item of readItems(lines, withoutTorn(lines, chosen))) {
      isWanted &&= await write(renderer.item(item));
    }
    return { shown: await describeShown(found, lines, version), isWanted };
  } finally {
    await lines.close();
  }
}

/** A last line that is being written is shown when it is whole. */
function withoutTorn({ transcript }: OpenLines, chosen: ChosenEntries): ChosenEntries {
  const last = transcript.length - 1;
  const isTorn = !transcript.terminated && transcript.kindOf(last) === 'broken';
  return isTorn ? { ...chosen, entries: chosen.entries.filter((index) => index !== last) } : chosen;
}

async function describeShown(
  found: ReadableSession,
  { transcript }: OpenLines,
  version: Version,
): Promise<Shown> {
  const ids: string[] = [];
  for (let index = transcript.length - 1; index >= 0 && ids.length < IDS_KEPT; index--) {
    const id = transcript.idOf(index);
    if (id !== undefined) ids.push(id);
  }
  const { growingFile } = found;
  const ino = growingFile === undefined ? undefined : (await statIfThere(growingFile))?.ino;
  const last = transcript.length - 1;
  const isTorn = !transcript.terminated && transcript.kindOf(last) === 'broken';
  const offset = isTorn ? transcript.startOf(last) : transcript.byteLength;
  return {
    found,
    ids: ids.reverse(),
    turns: chooseEntries(transcript).turns,
    version,
    ...(ino !== undefined && { file: { ino, offset, dialect: transcript.dialect } }),
  };
}

interface Added {
  readonly shown: Shown;
  readonly rendered: string;
}

/** Undefined where nothing changed, or where what changed cannot be read yet. */
async function lookAgain(options: FollowOptions, shown: Shown): Promise<Added | undefined> {
  try {
    const version = await readVersion(shown.found);
    const isIndexChanged = version.index !== shown.version.index;
    if (!isIndexChanged && version.lines === shown.version.lines) return undefined;
    const found = isIndexChanged ? await findSuccessor(options, shown) : shown.found;
    if (found !== undefined && found !== shown.found) return await showReset(options, found);
    // The transcript of a new session may come after its entry: then the index is looked at again.
    const seen = found === undefined ? { ...version, index: shown.version.index } : version;
    return (await showAppended(options, shown, seen)) ?? (await showReread(options, shown, seen));
  } catch (error) {
    // A file that is being replaced, a database that is busy: there will be another look.
    if (error instanceof OpenBotError || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined;
    throw error;
  }
}

/** The session that the key leads to: the one that is shown, or another one. Undefined where that cannot be read yet. */
async function findSuccessor(
  { findAgain }: FollowOptions,
  { found }: Shown,
): Promise<ReadableSession | undefined> {
  const { sessionKey, sessionId, former } = found.session;
  if (sessionKey === undefined || former) return found;
  const again = await findAgain(sessionKey).catch(() => undefined);
  return again?.session.sessionId === sessionId ? found : again;
}

async function showReset({ renderer }: FollowOptions, found: ReadableSession): Promise<Added> {
  const note: HistoryNote = {
    kind: 'note',
    about: 'reset',
    text: `The session was reset. It goes on as ${found.session.sessionId}`,
  };
  const version = await readVersion(found);
  const lines = await found.open();
  try {
    let rendered = renderer.item(note);
    for (const item of readItems(lines, withoutTorn(lines, chooseEntries(lines.transcript)))) {
      rendered += renderer.item(item);
    }
    return { shown: await describeShown(found, lines, version), rendered };
  } finally {
    await lines.close();
  }
}

/** Lines that were added to the same file are read alone, however long it is. */
async function showAppended(
  { renderer }: FollowOptions,
  shown: Shown,
  version: Version,
): Promise<Added | undefined> {
  const { file, found, ids, turns } = shown;
  if (file === undefined || found.growingFile === undefined) return undefined;
  const added = await readAppended(found.growingFile, { ...file, turns });
  if (added === undefined) return undefined;
  let rendered = '';
  for (const item of readItems(added.lines, added.chosen)) rendered += renderer.item(item);
  return {
    shown: {
      ...shown,
      version,
      turns: added.chosen.turns,
      ids: [...ids, ...added.ids].slice(-IDS_KEPT),
      file: { ...file, offset: added.offset },
    },
    rendered,
  };
}

/** What follows the last entry that was shown, in a file that was rewritten or in a database. */
async function showReread(
  { renderer }: FollowOptions,
  { found, ids, file }: Shown,
  version: Version,
): Promise<Added> {
  const lines = await found.open();
  try {
    const { transcript } = lines;
    const chosen = withoutTorn(lines, chooseEntries(transcript));
    const known = ids.findLast((id) => transcript.indexOf(id) !== undefined);
    // Lines without ids: those of a rewrite are taken for shown.
    const last =
      known === undefined ? (file === undefined ? -1 : transcript.length) : transcript.indexOf(known)!;
    let rendered = '';
    const entries = chosen.entries.filter((index) => index > last);
    for (const item of readItems(lines, { ...chosen, entries })) rendered += renderer.item(item);
    return { shown: await describeShown(found, lines, version), rendered };
  } finally {
    await lines.close();
  }
}

async function readVersion({ session: { path, indexPath } }: ReadableSession): Promise<Version> {
  // SQLite keeps what was written last beside a database, which is its own index.
  const paths = [path, `${path}-wal`, indexPath ?? join(dirname(path), 'sessions.json')];
  const [lines, latest, index] = (await Promise.all(paths.map(statIfThere))).map((one) =>
    one === undefined ? '-' : `${one.ino}.${one.size}.${one.mtimeNs}`,
  );
  const hasIndex = index !== '-';
  return { lines: `${lines} ${latest}`, index: hasIndex ? index! : `${lines} ${latest}` };
}

async function statIfThere(path: string) {
  return stat(path, { bigint: true }).catch(() => undefined);
}

interface Changes {
  /** Resolves when something may have changed. */
  next(): Promise<void>;
  close(): void;
}

function watchFolder(folder: string, lost?: AbortSignal): Changes {
  let wake = () => {};
  let hasNews = false;
  const tell = () => {
    hasNews = true;
    wake();
  };
  const watcher = startWatching(folder, tell);
  lost?.addEventListener('abort', tell);
  return {
    async next() {
      if (!hasNews) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, POLL_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasNews = false;
    },
    close() {
      watcher?.close();
      lost?.removeEventListener('abort', tell);
    },
  };
}

/** Undefined where the folder cannot be watched: then it is looked at from time to time. */
function startWatching(folder: string, tell: () => void) {
  try {
    const watcher = watch(folder, tell);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

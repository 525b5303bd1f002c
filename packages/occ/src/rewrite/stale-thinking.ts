import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { activePath, OpenBotError, type Transcript } from '@openbot/sessions';
import { FLAG, hasBoundThinking, scanOpenTranscript } from '@openbot/sessions/transcript';
import { backupPathsOf } from '../backups/backup-paths.ts';
import { listBackupFiles } from '../backups/backups.ts';
import { type Journal, readJournal } from '../backups/journal.ts';
import { findOriginal } from '../backups/original.ts';
import { withOriginal } from '../backups/original-state.ts';
import { thinksBeforeCuts } from '../clean/decisions/bound-thinking.ts';
import { thinkingOf } from '../clean/thinking-removal.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import type { Backup, KeptState } from '../storage/contract/kept-state.ts';
import type { SessionLines } from '../storage/contract/rewriting.ts';
import type { SessionStorage } from '../storage/contract/storage.ts';
import { makeLineReader } from './apply-plan.ts';
import { countSame, type GivenLines, giveLines } from './same-context.ts';

/** Thinking that the provider refuses or leaves out, because a rewrite changed what comes before it. */
export interface StaleThinking {
  readonly blocks: number;
  /** The entry with the first of it. */
  readonly from: number;
}

/**
 * The thinking of a session that a backup holds behind other lines than the session does. The oldest state that holds a
 * block is the one that it was made in, unless an older one is missing. Backups are read one line at a time, and not at all
 * where no thinking is bound.
 * @param path of the transcript, beside which the backups are
 */
export async function findStaleThinking(path: string, now: SessionLines): Promise<StaleThinking | undefined> {
  const { transcript } = now;
  if (!transcript.hasFlag(FLAG.thinking)) return undefined;
  if (!hasBoundThinking(transcript, activePath(transcript).entries)) return undefined;
  if (!mayBeStale(path)) return undefined;
  const paths = backupPathsOf(path);
  const backups = listBackupFiles(paths, path);
  const search = new StaleSearch(now, isOnlyCleaned(readJournal(path), backups));
  if (findOriginal(paths) !== undefined) await compareOriginal(path, search);
  for (const backup of backups) {
    if (search.isOver) break;
    await search.compare(backup);
  }
  return search.found();
}

/**
 * Whether only cleans took place, as far back as there were backups. Then what differs from any state that holds a block differs from the one that
 * the block was made in too; a restore may have put that back, of which nothing is left.
 */
function isOnlyCleaned({ rewrites }: Journal, backups: readonly Backup[]): boolean {
  const recorded = new Set(rewrites.map(({ backup }) => backup));
  const last = Math.max(...recorded, ...backups.map(({ number }) => number));
  return recorded.size === last && rewrites.every(({ kind }) => kind === 'edit');
}

/** Whether kept states can tell of stale thinking, judged by their names and the journal. @param path of the transcript */
function mayBeStale(path: string): boolean {
  const paths = backupPathsOf(path);
  const backups = listBackupFiles(paths, path);
  const last = readJournal(path).rewrites.at(-1);
  // A rewrite that was killed before the swap left no backup. What was said while it was written is behind the bytes that it read.
  const isWhole = backups.some(
    ({ number, sizeBytes }) => number === last?.backup && sizeBytes === last.backupBytes,
  );
  const isRepaired = isWhole && last?.isRepaired;
  return !isRepaired && (backups.length > 0 || findOriginal(paths) !== undefined);
}

/** The first entry with stale thinking, by what stays the same while a session grows. */
export interface StaleEntry {
  readonly id: string;
  /** How many blocks are stale, in it and behind it. */
  readonly blocks: number;
}

export async function findStaleEntry(path: string, lines: SessionLines): Promise<StaleEntry | undefined> {
  const stale = await findStaleThinking(path, lines);
  const id = stale && lines.transcript.idOf(stale.from);
  return id === undefined ? undefined : { id, blocks: stale!.blocks };
}

/**
 * The same of a session that is not open: it is only read where kept states can tell of any. Nothing of one that cannot be
 * read or rewritten; what is done with it next says what is wrong.
 */
export async function lookForStale(
  storage: SessionStorage,
  session: FoundSession,
): Promise<StaleEntry | undefined> {
  try {
    const path = storage.transcriptPathOf(session);
    if (!mayBeStale(path)) return undefined;
    const { openLines } = await storage.rewriting();
    const lines = await openLines(session);
    try {
      return await findStaleEntry(path, lines);
    } finally {
      await lines.close();
    }
  } catch {
    return undefined;
  }
}

async function compareOriginal(path: string, search: StaleSearch): Promise<void> {
  const compare = (original: KeptState) =>
    search.compare({ path: original.path, number: original.wasBackup ?? Number.NaN });
  await withOriginal(path, '', compare).catch((error: unknown) => {
    if (!(error instanceof OpenBotError)) throw error;
  });
}

class StaleSearch {
  readonly #now: GivenLines;
  readonly #placeOf: ReadonlyMap<number, number>;
  /** Entries whose thinking an older state had. */
  readonly #judged = new Set<number>();
  readonly #stale = new Map<number, number>();
  readonly #total: number;
  /** Whether a state tells of blocks that were made in a missing one. */
  readonly #trustsLater: boolean;
  /** The number of the state that was compared last. The first one is 1. */
  #last = 0;

  constructor(now: SessionLines, trustsLater: boolean) {
    this.#now = giveLines(now);
    this.#trustsLater = trustsLater;
    const { entries } = this.#now.context;
    this.#placeOf = new Map(entries.map((index, place) => [index, place]));
    this.#total = entries.filter((index) => this.#isBound(index)).length;
  }

  /** Whether nothing is left to judge. */
  get isOver(): boolean {
    return this.#judged.size === this.#total;
  }

  /** Compares with a kept state. Later ones come later. One that cannot be read says nothing. */
  async compare({ path, number }: Pick<KeptState, 'path' | 'number'>): Promise<void> {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
    if (file === undefined) return;
    try {
      const { transcript: now } = this.#now;
      const rules = now.tree === undefined ? undefined : 'openclaw';
      const transcript = await scanOpenTranscript(file, path, rules, now);
      const isKnown = this.#trustsLater || number === this.#last + 1;
      const lines = { transcript, readLine: makeLineReader(file, transcript) };
      this.#compare(giveLines(lines, this.#findLeaf(transcript)), isKnown);
      this.#last = number;
    } catch {
      // Nothing depends on a backup alone.
    } finally {
      await file.close();
    }
  }

  /** @param isKnown what no older state had was made in this one */
  #compare(then: GivenLines, isKnown: boolean): void {
    const now = this.#now;
    // A compaction since is a change of its own, which is not for an edit to repair.
    if (cutIdOf(then) !== cutIdOf(now)) return;
    const same = countSame(then, now);
    for (const [place, index] of then.context.entries.entries()) {
      if (this.isOver) return;
      if (!then.transcript.has(index, FLAG.thinking)) continue;
      const at = now.transcript.indexOf(then.transcript.idOf(index) ?? '');
      if (at === undefined || this.#judged.has(at) || !this.#isBound(at)) continue;
      const held = new Set(thinkingOf(then.readLine(index)));
      const blocks = thinkingOf(now.readLine(at)).filter((block) => held.has(block));
      if (blocks.length === 0) continue;
      this.#judged.add(at);
      const isFirst = place === same && now.context.entries[same] === at;
      const isBefore = isFirst && thinksBeforeCuts(now.transcript, at);
      if (isKnown && place >= same && !isBefore) this.#stale.set(at, blocks.length);
    }
  }

  /** How far the conversation had come in an older state, which may have had its leaf on another branch. */
  #findLeaf(then: Transcript): number | undefined {
    const { transcript } = this.#now;
    const leaves = activePath(transcript).entries.map((index) => then.indexOf(transcript.idOf(index) ?? ''));
    return leaves.findLast((leaf) => leaf !== undefined);
  }

  #isBound(index: number): boolean {
    const { transcript } = this.#now;
    return (
      this.#placeOf.has(index) &&
      transcript.has(index, FLAG.thinking) &&
      transcript.has(index, FLAG.boundModel)
    );
  }

  found(): StaleThinking | undefined {
    let blocks = 0;
    let from: number | undefined;
    for (const [index, count] of this.#stale) {
      blocks += count;
      if (from === undefined || this.#placeOf.get(index)! < this.#placeOf.get(from)!) from = index;
    }
    return from === undefined ? undefined : { blocks, from };
  }
}

/** The compaction or reset that a context begins with. */
function cutIdOf({ transcript, context }: GivenLines): string | undefined {
  return context.cutBy === undefined ? undefined : transcript.idOf(context.cutBy);
}

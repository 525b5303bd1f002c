import { createHash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClaudeLineReader, withOpenTranscript } from '@openbot/sessions/lines';
import { HeaderTally, type SavedTally } from '../scan/header-tally.ts';
import type { JsonlHeader } from '../scan/jsonl-header.ts';
import { tallyLines } from '../scan/parse-header.ts';
import { isSameMark, isSettled, markOf } from './index-entry.ts';
import { readIndexFile, StoredEntry, writeIndexFile } from './index-file.ts';
import { PrefixChecksums } from './prefix-checksums.ts';

export interface IndexedScan {
  readonly header: JsonlHeader;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /**
   * What had to be read of the file. `grown`: the added lines, after a check that the bytes before them are unchanged.
   */
  readonly read: 'nothing' | 'grown' | 'whole';
}

/**
 * The index of the transcripts in one project folder. An entry is valid only for the file that it was made from; a
 * missing, damaged or outdated entry costs a reading, never a wrong answer.
 */
export class SessionIndex {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #path: string;
  readonly #entries: Map<string, StoredEntry>;
  readonly #fresh = new Map<string, StoredEntry>();
  readonly #gone = new Set<string>();
  #saving: Promise<void> = Promise.resolve();

  /**
   * @param folder contains the transcripts, a real path
   * @param cacheDir contains the indexes; if it cannot be read or written, the index is empty
   */
  constructor(folder: string, cacheDir: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
    this.#path = join(cacheDir, `${name}.index`);
    this.#entries = readIndexFile(this.#path, folder);
  }

  /** The entry, without opening the file; undefined if the file must be read. */
  peek(sessionId: string): IndexedScan | undefined {
    const entry = this.#entries.get(sessionId);
    if (entry?.isSettled !== true) return undefined;
    const stats = readStats(this.#pathOf(sessionId));
    if (stats === undefined || !isSameMark(entry.mark, markOf(stats))) return undefined;
    return describe(entry, Number(stats.mtimeMs), 'nothing');
  }

  /**
   * Reads a transcript, as far as it is not in the index.
   * @param onRead is called with the number of bytes read, and the size
   * @param signal stops the reading and throws its reason; the next scan continues from there
   */
  async scan(
    sessionId: string,
    reader: ClaudeLineReader,
    onRead: (read: number, size: number) => void = () => {},
    signal?: AbortSignal,
  ): Promise<IndexedScan> {
    const known = this.peek(sessionId);
    if (known !== undefined) return known;
    // Before the stats are taken: a write between the two counts as recent.
    const nowMs = this.#now();
    return withOpenTranscript(this.#pathOf(sessionId), async (handle, stats) => {
      const mark = markOf(stats);
      const found = await this.#findStart(sessionId, handle, mark.ino, mark.size);
      const { header, growth, endedAt } = await readOn(handle, reader, found, mark.size, onRead, signal);
      const entry = StoredEntry.make(
        endedAt === undefined
          ? { id: sessionId, mark, isSettled: isSettled(stats, nowMs), header }
          : // As if the file had grown since: the entry gives no answer, but a position to continue from.
            { id: sessionId, mark: { ...mark, size: endedAt }, isSettled: false, header },
        growth,
      );
      this.#fresh.set(sessionId, entry);
      this.#entries.set(sessionId, entry);
      if (endedAt !== undefined) signal?.throwIfAborted();
      return describe(entry, Number(stats.mtimeMs), found === undefined ? 'whole' : 'grown');
    });
  }

  /** Removes sessions whose files are gone. */
  retain(sessionIds: ReadonlySet<string>): void {
    for (const id of this.#entries.keys()) {
      if (sessionIds.has(id)) continue;
      this.#entries.delete(id);
      this.#gone.add(id);
    }
  }

  /**
   * Saves the new entries beside those that other processes saved meanwhile. Of two that save at the same time, one can
   * lose entries, which are then made again. If the index cannot be written, the next search reads again.
   */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    if (this.#fresh.size === 0 && this.#gone.size === 0) return;
    const entries = readIndexFile(this.#path, this.#folder);
    for (const id of this.#gone) entries.delete(id);
    for (const [id, entry] of this.#fresh) entries.set(id, entry);
    this.#fresh.clear();
    this.#gone.clear();
    await writeIndexFile(this.#path, this.#folder, entries.values()).catch(() => {});
  }

  #pathOf(sessionId: string): string {
    return join(this.#folder, `${sessionId}.jsonl`);
  }

  /** Where the reading can continue: only in the same file, if it begins with the bytes that were read before. */
  async #findStart(
    sessionId: string,
    handle: FileHandle,
    ino: string,
    size: number,
  ): Promise<Start | undefined> {
    const entry = this.#entries.get(sessionId);
    if (entry === undefined || entry.mark.ino !== ino || entry.mark.size > size) return undefined;
    const start = restoreStart(entry);
    return start !== undefined && (await start.prefix.match(handle)) ? start : undefined;
  }
}

/** Undefined if the content makes no sense although its checksum is right. */
function restoreStart(entry: StoredEntry): Start | undefined {
  try {
    const { resumeAt, tally, checksums } = entry.growth();
    const prefix = new PrefixChecksums(checksums, entry.mark.size);
    return { resumeAt, tally: HeaderTally.restore(tally), prefix };
  } catch {
    return undefined;
  }
}

interface Start {
  readonly resumeAt: number;
  readonly tally: HeaderTally;
  readonly prefix: PrefixChecksums;
}

async function readOn(
  handle: FileHandle,
  reader: ClaudeLineReader,
  start: Start | undefined,
  to: number,
  onRead: (read: number, size: number) => void,
  signal: AbortSignal | undefined,
) {
  const tally = start?.tally ?? new HeaderTally();
  const prefix = start?.prefix ?? new PrefixChecksums();
  let saved: SavedTally | undefined;
  const { resumeAt, isEnded } = await tallyLines(handle, reader, tally, {
    from: start?.resumeAt ?? 0,
    to,
    signal,
    onBytes(chunk, offset) {
      prefix.push(chunk, offset);
      onRead(offset + chunk.length, to);
    },
    onHalfLine() {
      saved = tally.save();
    },
  });
  return {
    header: tally.header(),
    growth: { resumeAt, tally: saved ?? tally.save(), checksums: prefix.blocks },
    ...(isEnded ? { endedAt: prefix.size } : {}),
  };
}

/** Undefined also if the file cannot be reached; opening it gives the reason. */
function readStats(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function describe(entry: StoredEntry, modifiedMs: number, read: IndexedScan['read']): IndexedScan {
  return { header: entry.header, sizeBytes: entry.mark.size, modifiedMs, read };
}

import type { PathEntry } from './contract.ts';
import { messageOfLine, parse } from './line-message.ts';

/**
 * The entries of the active path, the last one first. Lines that a line moved the leaf away from are not left out: a
 * reader that meets such a line (type `leaf`) cannot trust what follows.
 * @param lines of a transcript, the last one first; undefined for one that is too long to be held
 */
export async function* readPathBack(
  lines: AsyncIterable<Buffer | undefined> | Iterable<Buffer | undefined>,
): AsyncGenerator<PathEntry, void, undefined> {
  /** The id that the next entry of the path has; undefined where the entry before named no parent. */
  let next: string | null | undefined;
  for await (const line of lines) {
    if (next === null) return;
    if (line === undefined) {
      yield { type: 'unreadable' };
      continue;
    }
    const entry = parse(line);
    if (entry === undefined || entry.type === 'session') continue;
    const id = typeof entry.id === 'string' ? entry.id : undefined;
    // Of another branch.
    if (next !== undefined && id !== undefined && id !== next) continue;
    next = typeof entry.parentId === 'string' || entry.parentId === null ? entry.parentId : undefined;
    yield describe(entry, line, id);
  }
}

function describe(entry: Record<string, unknown>, line: Buffer, id: string | undefined): PathEntry {
  const type = String(entry.type);
  const bytes = line.length;
  if (type === 'custom') return { type, id, customType: String(entry.customType), data: entry.data, bytes };
  return { type, id, message: messageOfLine(line), bytes };
}

import type { FileHandle } from 'node:fs/promises';

/**
 * Hands out the bytes from `from` to `to`, or to the end where that comes first. Two chunks in turn: the disk fills one
 * while the other is looked at.
 */
export async function readAhead(
  handle: FileHandle,
  chunks: readonly [Buffer, Buffer],
  from: number,
  to: number,
  take: (chunk: Buffer, count: number, offset: number) => void,
): Promise<void> {
  let [current, next] = chunks;
  let at = from;
  const read = (into: Buffer) => handle.read(into, 0, Math.min(into.length, to - at), at);
  if (at >= to) return;
  let reading = read(current);
  for (;;) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return;
    const offset = at;
    at += bytesRead;
    const isLast = at >= to;
    if (!isLast) reading = read(next);
    try {
      take(current, bytesRead, offset);
    } catch (error) {
      // The read under way still writes into memory of ours.
      if (!isLast) await reading.catch(() => {});
      throw error;
    }
    if (isLast) return;
    [current, next] = [next, current];
  }
}

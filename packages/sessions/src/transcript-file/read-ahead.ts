import type { FileHandle } from 'node:fs/promises';

/**
 * Hands out the bytes from `from` to `to`, or to the end where that comes first. Two chunks in turn: the disk fills one
 * while the other is looked at.
 * @param isEnough is asked behind each chunk but the last one; true ends it there
 */
export async function readAhead(
  handle: FileHandle,
  chunks: readonly [Buffer, Buffer],
  from: number,
  to: number,
  take: (chunk: Buffer, count: number, offset: number) => void,
  isEnough: () => boolean = () => false,
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
    let isOver = true;
    try {
      take(current, bytesRead, offset);
      isOver = isLast || isEnough();
    } finally {
      // The read under way still writes into memory of ours.
      if (isOver && !isLast) await reading.catch(() => {});
    }
    if (isOver) return;
    [current, next] = [next, current];
  }
}

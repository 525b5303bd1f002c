import { type FileHandle, open } from 'node:fs/promises';
import { activePath, type Transcript } from '@openbot/sessions';
import { scanOpenTranscript } from '@openbot/sessions/transcript';
import { contextMessages, readMark } from '../context-messages.ts';
import type { ContextMessage } from '../contract.ts';
import { messageOfLine, parse } from '../line-message.ts';

/** Of all lines whose messages are remembered. A context of more than that is read anew each time: no model can read it. */
const MOST_BYTES = 32 * 1024 * 1024;
/** A transcript up to this size is read in one piece. */
const MOST_AT_ONCE = 4 * 1024 * 1024;
/** A file that was rewritten in place differs before its old end. */
const TAIL_BYTES = 4096;

/** The context of a transcript as it was at a time. */
interface Known {
  /** Of the file, which an atomic replacement changes. */
  readonly identity: string;
  readonly end: number;
  /** What is before the end. */
  readonly tail: Buffer;
  readonly leafId: string;
  readonly messages: readonly ContextMessage[];
  /** Of the lines that the messages come from. */
  readonly bytes: number;
}

/** One that cannot be continued by its next lines alone. */
interface Unknown {
  readonly leafId?: undefined;
  readonly messages: readonly ContextMessage[];
}

/** Lines that add to the context, or do not change it. Others may change what earlier ones mean. */
const SIMPLE = new Set([
  'message',
  'custom_message',
  'custom',
  'model_change',
  'thinking_level_change',
  'session_info',
]);

/** Reads contexts of transcripts. Of one that has only grown since the last time, it reads what was added. */
export class ContextReader {
  readonly #known = new Map<string, Known>();
  #bytes = 0;

  async read(path: string): Promise<readonly ContextMessage[]> {
    const handle = await open(path);
    try {
      const known = this.#take(path);
      const next: Known | Unknown =
        (known && (await readAdded(handle, known))) ?? (await readAll(handle, path));
      if (next.leafId !== undefined && next.bytes <= MOST_BYTES) this.#remember(path, next);
      return next.messages;
    } finally {
      await handle.close();
    }
  }

  forget(): void {
    this.#known.clear();
    this.#bytes = 0;
  }

  #take(path: string): Known | undefined {
    const known = this.#known.get(path);
    if (known !== undefined) this.#bytes -= known.bytes;
    this.#known.delete(path);
    return known;
  }

  #remember(path: string, known: Known): void {
    // Two readers of the same transcript may have begun together.
    this.#take(path);
    this.#known.set(path, known);
    this.#bytes += known.bytes;
    for (const [oldest] of this.#known) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#take(oldest);
    }
  }
}

async function readAll(handle: FileHandle, path: string): Promise<Known | Unknown> {
  const identity = await identityOf(handle);
  const transcript = await scanOpenTranscript(handle, path);
  const last = transcript.length - 1;
  const leafId = last < 0 ? undefined : plainLeafOf(transcript, last);
  const end = last < 0 ? 0 : transcript.endOf(last);
  const whole = end <= MOST_AT_ONCE ? await readBytes(handle, 0, end) : undefined;
  let bytes = 0;
  const messages = await contextMessages(transcript, (from, to) => {
    bytes += to - from;
    return whole?.subarray(from, to) ?? readBytes(handle, from, to);
  });
  if (leafId === undefined) return { messages };
  const tail = await readBytes(handle, Math.max(0, end - TAIL_BYTES), end);
  return { identity, end, tail, leafId, messages, bytes };
}

/** Undefined where the next line would not simply follow the last one. */
function plainLeafOf(transcript: Transcript, last: number): string | undefined {
  return activePath(transcript).entries.at(-1) === last ? transcript.idOf(last) : undefined;
}

/** Undefined when the file is another one, or has more than simple lines. */
async function readAdded(handle: FileHandle, known: Known): Promise<Known | undefined> {
  const { size } = await handle.stat();
  if (size < known.end || (await identityOf(handle)) !== known.identity) return undefined;
  const before = await readBytes(handle, known.end - known.tail.length, known.end);
  if (!before.equals(known.tail)) return undefined;
  const added = await readBytes(handle, known.end, size);
  let messages = [...known.messages];
  let { leafId } = known;
  let start = 0;
  for (let at = added.indexOf(10); at >= 0; start = at + 1, at = added.indexOf(10, start)) {
    const line = added.subarray(start, at);
    if (line.length === 0) continue;
    const entry = parse(line);
    const { type, id, parentId } = entry ?? {};
    if (typeof id !== 'string' || parentId !== leafId || !SIMPLE.has(String(type))) return undefined;
    leafId = id;
    const mark = readMark(entry);
    if (mark !== undefined) messages = messages.map(mark);
    const message = type === 'message' || type === 'custom_message' ? messageOfLine(line) : undefined;
    if (message !== undefined) messages.push({ entryId: id, message });
  }
  // A torn line, or one that is being written.
  if (start < added.length) return undefined;
  const tail = Buffer.concat([known.tail, added]).subarray(-TAIL_BYTES);
  return { ...known, end: size, tail, leafId, messages, bytes: known.bytes + added.length };
}

async function identityOf(handle: FileHandle): Promise<string> {
  const { dev, ino, birthtimeMs } = await handle.stat();
  return `${dev}:${ino}:${birthtimeMs}`;
}

async function readBytes(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

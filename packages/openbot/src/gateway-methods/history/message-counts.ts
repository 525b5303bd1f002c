import { type FileHandle, open } from 'node:fs/promises';
import { activePath } from '@openbot/sessions';
import { scanOpenTranscript } from '@openbot/sessions/transcript';

/** What is known of the active path of a transcript, up to a byte of its file. */
interface Counted {
  /** Of the file, which a rewrite changes. */
  readonly identity: string;
  readonly end: number;
  readonly leafId: string | undefined;
  readonly messages: number;
}

const MOST_KNOWN = 500;
/** Lines that do not change which ones are before them. */
const PLAIN = new Set([
  'message',
  'custom_message',
  'custom',
  'compaction',
  'model_change',
  'thinking_level_change',
  'session_info',
]);

/**
 * How many messages are on the active path of a transcript. The whole of it is read once; after that what was added.
 */
export class MessageCounts {
  readonly #known = new Map<string, Counted>();

  async count(path: string): Promise<number> {
    let handle: FileHandle;
    try {
      handle = await open(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
    try {
      const known = this.#known.get(path);
      const next = (known && (await readAdded(handle, known))) ?? (await readAll(handle, path));
      this.#known.delete(path);
      this.#known.set(path, next);
      if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!);
      return next.messages;
    } finally {
      await handle.close();
    }
  }
}

/** Those of this process. */
export const MESSAGE_COUNTS = new MessageCounts();

async function readAll(handle: FileHandle, path: string): Promise<Counted> {
  const identity = await identityOf(handle);
  const transcript = await scanOpenTranscript(handle, path);
  const { entries } = activePath(transcript);
  const leaf = entries.at(-1);
  const isPlain = leaf === transcript.length - 1;
  return {
    identity,
    end: transcript.length === 0 ? 0 : transcript.endOf(transcript.length - 1) + 1,
    leafId: isPlain && leaf !== undefined ? transcript.idOf(leaf) : undefined,
    messages: entries.filter((index) => transcript.kindOf(index) === 'message').length,
  };
}

/** Undefined where the file is another one, or the lines that were added do not simply follow. */
async function readAdded(handle: FileHandle, known: Counted): Promise<Counted | undefined> {
  const { size } = await handle.stat();
  if (size < known.end || known.leafId === undefined || (await identityOf(handle)) !== known.identity)
    return undefined;
  const bytes = Buffer.allocUnsafe(size - known.end);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, known.end);
  const added = bytes.subarray(0, bytesRead);
  let { leafId, messages } = known;
  let start = 0;
  for (let at = added.indexOf(10); at >= 0; start = at + 1, at = added.indexOf(10, start)) {
    const line = parse(added.subarray(start, at));
    if (typeof line?.id !== 'string' || line.parentId !== leafId || !PLAIN.has(String(line.type)))
      return undefined;
    leafId = line.id;
    if (line.type === 'message') messages++;
  }
  return { ...known, end: known.end + start, leafId, messages };
}

function parse(line: Buffer): { id?: unknown; parentId?: unknown; type?: unknown } | undefined {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function identityOf(handle: FileHandle): Promise<string> {
  const { dev, ino, birthtimeMs } = await handle.stat();
  return `${dev}:${ino}:${birthtimeMs}`;
}

import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextTokens, type Transcript } from '@openbot/sessions';
import {
  composeEntry,
  composeHeader,
  composeLine,
  LineSplitter,
  TranscriptBuilder,
} from '@openbot/sessions/transcript';
import { Listeners } from '../../listeners.ts';
import { contextMessages } from '../context-messages.ts';
import type { TranscriptRef, Transcripts, TranscriptUpdate } from '../contract.ts';
import { cleanTranscript, restoreTranscript } from '../files/clean.ts';
import { readPathBack } from '../read-path-back.ts';
import { traceTurn } from '../trace-turn.ts';

interface Kept {
  readonly lines: Buffer[];
  leafId: string | null;
  cleans: number;
  /** Before the last clean or restore. */
  before?: readonly Buffer[];
}

/** For tests, and for runs that keep nothing. */
export function openMemoryTranscripts(now: () => number = Date.now): Transcripts {
  const transcripts = new Map<string, Kept>();
  const listeners = new Listeners<TranscriptUpdate>('for transcript updates');
  const nameOf = ({ agentId, sessionFile }: TranscriptRef) => JSON.stringify([agentId, sessionFile]);
  const make = ({ sessionId, cwd }: TranscriptRef, timestamp: string): Kept => {
    const header = composeLine(composeHeader({ sessionId, cwd, timestamp }));
    return { lines: [Buffer.from(header)], leafId: null, cleans: 0 };
  };
  const bytesOf = (ref: TranscriptRef) => Buffer.concat(transcripts.get(nameOf(ref))?.lines ?? []);
  return {
    append: async (ref, drafts) => {
      const timestamp = new Date(now()).toISOString();
      const kept = transcripts.get(nameOf(ref)) ?? make(ref, timestamp);
      let parentId = kept.leafId;
      // All lines are made before one is kept: a draft that is no JSON keeps them all out.
      const added = drafts.map((draft) => {
        const id = randomUUID().slice(0, 8);
        const line = Buffer.from(composeLine(composeEntry(draft, { id, parentId, timestamp })));
        parentId = id;
        return { type: draft.type, id, line };
      });
      kept.lines.push(...added.map(({ line }) => line));
      kept.leafId = parentId;
      transcripts.set(nameOf(ref), kept);
      const entries = added.map(({ type, id }) => ({ type, id }));
      if (drafts.length > 0) listeners.call({ ...ref, entries });
      return entries;
    },
    mend: async () => true,
    findTurn: async (ref, turnId) =>
      traceTurn(transcripts.get(nameOf(ref))?.lines.toReversed() ?? [], turnId),
    readContext: async (ref) => {
      const bytes = bytesOf(ref);
      return contextMessages(scan(bytes), (start, end) => bytes.subarray(start, end));
    },
    lookBack: async (ref) => {
      const { lines = [], cleans = 0 } = transcripts.get(nameOf(ref)) ?? {};
      return { generation: String(cleans), entries: readPathBack(lines.toReversed()) };
    },
    measureContext: async (ref) => contextTokens(scan(bytesOf(ref))).tokens,
    clean: async (ref, how) => {
      const kept = transcripts.get(nameOf(ref));
      return rewriteAsFile(
        ref,
        kept,
        (path) => cleanTranscript(path, how),
        ({ changed }) => changed,
      );
    },
    restore: async (ref) => {
      const kept = transcripts.get(nameOf(ref));
      return rewriteAsFile(ref, kept, restoreTranscript, ({ restored }) => restored);
    },
    onUpdate: (listener) => listeners.add(listener),
    close: async () => listeners.end(),
  };
}

/** Does to the lines what is done to a file of them, with the state before the last rewrite as its backup. */
async function rewriteAsFile<T>(
  { sessionId }: TranscriptRef,
  kept: Kept | undefined,
  rewrite: (path: string) => Promise<T>,
  isDone: (result: T) => boolean,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'openbot-rewrite-'));
  try {
    const path = join(folder, `${sessionId}.jsonl`);
    if (kept !== undefined) await writeFile(path, Buffer.concat(kept.lines));
    if (kept?.before !== undefined) {
      await mkdir(join(folder, 'backups'));
      await writeFile(join(folder, 'backups', `${sessionId}.backup.1.jsonl`), Buffer.concat(kept.before));
    }
    const result = await rewrite(path);
    if (kept !== undefined && isDone(result)) {
      const lines = (await readFile(path, 'utf8')).split(/(?<=\n)/).map((line) => Buffer.from(line));
      kept.before = [...kept.lines];
      kept.lines.splice(0, Number.POSITIVE_INFINITY, ...lines);
      kept.cleans++;
    }
    return result;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function scan(bytes: Buffer): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(bytes);
  splitter.finish();
  return builder.finish(bytes.length);
}

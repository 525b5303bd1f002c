import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
import { cleanTranscript } from '../files/clean.ts';
import { readPathBack } from '../read-path-back.ts';
import { traceTurn } from '../trace-turn.ts';

interface Kept {
  readonly lines: Buffer[];
  leafId: string | null;
  cleans: number;
  /** Before the last clean or restore, and right after it. */
  before?: { readonly lines: readonly Buffer[]; readonly after: number };
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
      const folder = await mkdtemp(join(tmpdir(), 'openbot-clean-'));
      try {
        const path = join(folder, `${ref.sessionId}.jsonl`);
        await writeFile(path, bytesOf(ref));
        const result = await cleanTranscript(path, how);
        const lines = (await readFile(path, 'utf8')).split(/(?<=\n)/).map((line) => Buffer.from(line));
        const kept = transcripts.get(nameOf(ref));
        if (kept !== undefined && result.changed) replace(kept, lines);
        return result;
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    restore: async (ref) => {
      const kept = transcripts.get(nameOf(ref));
      if (kept?.before === undefined) return { restored: false, linesKept: 0 };
      const since = kept.lines.slice(kept.before.after);
      replace(kept, [...kept.before.lines, ...since]);
      return { restored: true, linesKept: since.length };
    },
    onUpdate: (listener) => listeners.add(listener),
    close: async () => listeners.end(),
  };
}

function replace(kept: Kept, lines: readonly Buffer[]): void {
  kept.before = { lines: [...kept.lines], after: lines.length };
  kept.lines.splice(0, Number.POSITIVE_INFINITY, ...lines);
  kept.cleans++;
}

function scan(bytes: Buffer): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(bytes);
  splitter.finish();
  return builder.finish(bytes.length);
}

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  appendToTranscript,
  createTranscript,
  openMemorySessionStore,
  type SessionEntry,
  type SessionStore,
} from '@openbot/sessions';
import type { EntryDraft, TranscriptMessage } from '@openbot/sessions/transcript';
import {
  type FlushRun,
  type MemoryFlushRequest,
  runMemoryFlushIfNeeded,
} from '../../../src/turn/memory/run-memory-flush.ts';
import { makeTempFolder } from '../../setup/temp-folder.ts';

export const KEY = 'agent:main:main';
export const NOW = Date.UTC(2026, 10, 16, 23, 30);
export const SETTINGS = { reserveTokensFloor: 5000 };

type Script = MemoryFlushRequest['run'];

/** A session with a transcript on disk and an entry, whose model does what a test says. */
export class FlushBench {
  readonly folder = makeTempFolder();
  readonly path = join(this.folder, 'agents/main/sessions/s.jsonl');
  readonly store: SessionStore;
  /** What the agent was asked. */
  readonly asked: string[] = [];
  script: Script = () => say('NO_REPLY');
  changes = 0;

  constructor(entry: Partial<SessionEntry>) {
    const store = openMemorySessionStore({ [KEY]: { sessionId: 's', updatedAt: 1, ...entry } });
    const updateMany: SessionStore['updateMany'] = (change) => {
      this.changes++;
      return store.updateMany(change);
    };
    this.store = { ...store, updateMany };
  }

  async open(): Promise<this> {
    mkdirSync(join(this.folder, 'agents/main/sessions'), { recursive: true });
    await createTranscript({ path: this.path, sessionId: 's', cwd: '/work', durable: false });
    await this.append([message({ role: 'user', content: 'hello' }), answer('hi')]);
    return this;
  }

  append = async (drafts: readonly EntryDraft[]) => {
    await appendToTranscript(this.path, [...drafts], { durable: false });
    return [];
  };

  lines(): Record<string, unknown>[] {
    return readFileSync(this.path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  messages(): TranscriptMessage[] {
    return this.lines().flatMap(({ type, message }) =>
      type === 'message' ? [message as TranscriptMessage] : [],
    );
  }

  async entry(): Promise<SessionEntry> {
    return (await this.store.get(KEY))!;
  }

  async flush(request: Partial<MemoryFlushRequest> = {}) {
    return runMemoryFlushIfNeeded({
      entry: await this.entry(),
      sessionKey: KEY,
      sessions: { storePath: join(this.folder, 'agents/main/sessions/sessions.json'), store: this.store },
      config: { agents: { defaults: { compaction: SETTINGS } } },
      contextWindow: 100_000,
      isGroup: false,
      isReadOnly: false,
      now: () => NOW,
      append: this.append,
      readContext: async () => this.messages().map((one) => ({ message: one })),
      run: (asked) => {
        this.asked.push(asked.prompt);
        return this.script(asked);
      },
      ...request,
    });
  }
}

export const message = (one: TranscriptMessage): EntryDraft => ({ type: 'message', message: one });

export function answer(text: string, ...calls: string[]): EntryDraft {
  const blocks = calls.map((id) => ({ type: 'toolCall', id, name: 'write_file', arguments: {} }));
  return message({
    role: 'assistant',
    content: [{ type: 'text', text }, ...blocks],
    api: 'script',
    provider: 'script',
    model: 'demo',
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: calls.length > 0 ? 'toolUse' : 'stop',
    timestamp: NOW,
  });
}

export async function say(text: string, outcome: FlushRun['outcome'] = {}): Promise<FlushRun> {
  return { texts: [text], outcome, end: { type: 'end', reason: 'stop' } };
}

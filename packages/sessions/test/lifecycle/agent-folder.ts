import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { afterEach, beforeEach } from 'vitest';
import {
  appendToTranscript,
  clearSessionStoreCacheForTest,
  createTranscript,
  loadSessionStore,
  type SessionEntry,
} from '../../src/index.ts';
import { assistant, user } from '../setup/drafts.ts';

export const NOW = Date.UTC(2026, 2, 10, 12, 0, 0);
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

export class AgentFolder {
  stateDir = '';

  get storePath(): string {
    return this.storePathOf('main');
  }
  get folder(): string {
    return dirname(this.storePath);
  }
  storePathOf(agentId: string): string {
    return join(this.stateDir, 'agents', agentId, 'sessions', 'sessions.json');
  }
  path(name: string): string {
    return join(this.folder, name);
  }
  /** Writes the whole store, as another program would. */
  writeStore(entries: Record<string, object>, agentId = 'main'): void {
    const path = this.storePathOf(agentId);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(entries, null, 2));
  }
  readStore(agentId = 'main'): Record<string, SessionEntry & Record<string, unknown>> {
    return loadSessionStore(this.storePathOf(agentId), { skipCache: true }) as never;
  }
  entry(key = 'agent:main:main'): SessionEntry & Record<string, unknown> {
    return this.readStore()[key]!;
  }
  /** What is in the folder beside the store. */
  files(): string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((name) => name !== 'sessions.json')
      .sort();
  }
  /** A transcript with one message for each text, persons and the agent in turn. */
  async talk(sessionId: string, texts: string[], name = `${sessionId}.jsonl`): Promise<string> {
    const path = this.path(name);
    await createTranscript({ path, sessionId, cwd: '/work', durable: false, now: () => NOW });
    const drafts = texts.map((text, i) => (i % 2 === 0 ? user(text) : assistant({ type: 'text', text })));
    await appendToTranscript(path, drafts, { durable: false, now: () => NOW });
    return path;
  }
}

export function useAgentFolder(): AgentFolder {
  const agent = new AgentFolder();
  beforeEach(() => {
    agent.stateDir = mkdtempSync(join(tmpdir(), 'openbot-lifecycle-'));
    clearSessionStoreCacheForTest();
  });
  afterEach(() => rmSync(agent.stateDir, { recursive: true, force: true }));
  return agent;
}

/** What the model would be sent, as pi's own SessionManager sees it. Opens a copy, since pi rewrites old files. */
export function readWithPi(path: string): string[] {
  const copy = `${path}.pi-copy-${readdirSync(dirname(path)).length}.jsonl`;
  copyFileSync(path, copy);
  try {
    return SessionManager.open(copy)
      .buildSessionContext()
      .messages.map((message) => {
        const { role, content, summary } = message as { role: string; content?: unknown; summary?: string };
        const text = Array.isArray(content)
          ? content.map((block) => block.text ?? `[${block.type} ${block.id ?? ''}]`).join('|')
          : (content ?? summary);
        return `${role}: ${text}`;
      });
  } finally {
    rmSync(copy);
  }
}

export function leafInPi(path: string): string | null {
  const copy = `${path}.pi-copy.jsonl`;
  copyFileSync(path, copy);
  try {
    return SessionManager.open(copy).getLeafId();
  } finally {
    rmSync(copy);
  }
}

/** Every line that is JSON, the header included. */
export function readLines(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** Ids `id-1`, `id-2`, … */
export function countingIds(prefix = 'id'): () => string {
  let count = 0;
  return () => `${prefix}-${++count}`;
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ENTRIES = 5000;

export const keyOf = (index: number) => `agent:main:telegram:dm:${100_000 + index}`;

/** A store of entries of about 1 KB each, laid out as OpenClaw does. */
export async function withStore<T>(body: (path: string) => Promise<T>, entries = ENTRIES): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'openbot-bench-'));
  try {
    const path = join(folder, 'sessions.json');
    await writeFile(path, storeText(entries));
    return await body(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function storeText(entries: number): string {
  const store: Record<string, object> = {};
  for (let index = 0; index < entries; index++) store[keyOf(index)] = makeEntry(index);
  return JSON.stringify(store, null, 2);
}

export function makeEntry(index: number) {
  const hex = index.toString(16).padStart(12, '0');
  return {
    sessionId: `00d1fa26-b85f-4025-93d9-${hex}`,
    updatedAt: 1_794_766_000_000 + index,
    sessionFile: `/home/user/.openclaw/agents/main/sessions/00d1fa26-b85f-4025-93d9-${hex}.jsonl`,
    chatType: 'direct',
    channel: 'telegram',
    origin: {
      label: `Person ${index}`,
      provider: 'telegram',
      surface: 'telegram',
      chatType: 'direct',
      from: `telegram:${index}`,
    },
    deliveryContext: { channel: 'telegram', to: `telegram:${index}`, accountId: 'default' },
    modelProvider: 'anthropic',
    model: 'claude-opus-4.5',
    inputTokens: 4041 + index,
    outputTokens: 5,
    totalTokens: 4041 + index,
    contextTokens: 128_000,
    compactionCount: 0,
    skillsSnapshot: {
      prompt: 'The following skills provide specialised instructions for specific tasks.',
      skills: ['skill-creator', 'tmux', 'weather', 'notion'].map((name) => ({ name })),
      version: 0,
    },
  };
}

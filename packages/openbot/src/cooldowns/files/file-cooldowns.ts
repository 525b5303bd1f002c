import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock, writeFileAtomic } from '@openbot/sessions/disk';
import type { Cooldown, Cooldowns } from '../contract.ts';

const FILE_NAME = 'model-cooldowns.json';

/** One small file, which exists only once a model has failed. */
export function openFileCooldowns(stateDir: string): Cooldowns {
  const path = join(stateDir, FILE_NAME);
  return {
    read: async () => readKept(path),
    change: (model, change) =>
      withLock(`${path}.lock`, {}, async () => {
        const kept = readKept(path);
        const before = kept.get(model);
        const after = change(before);
        if (after === before) return;
        if (after === undefined) kept.delete(model);
        else kept.set(model, after);
        await writeFileAtomic(
          path,
          `${JSON.stringify({ models: Object.fromEntries(kept) }, undefined, 2)}\n`,
        );
      }),
    close: async () => {},
  };
}

/** What cannot be read says nothing: the model is asked, and its answer or failure is noted anew. */
function readKept(path: string): Map<string, Cooldown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  try {
    const { models } = JSON.parse(text) as { models: Record<string, Cooldown> };
    return new Map(Object.entries(models).filter(([, value]) => isCooldown(value)));
  } catch {
    return new Map();
  }
}

function isCooldown(value: unknown): value is Cooldown {
  const { failure, failures, since, until } = (value ?? {}) as Partial<Cooldown>;
  return typeof failure === 'string' && [failures, since, until].every(Number.isFinite);
}

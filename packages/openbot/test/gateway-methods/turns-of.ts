import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** By the marks in transcripts: the turns that had a message, and how often each turn was begun. */
export function readTurns(stateDir: string) {
  const turnsOf = new Map<string, Set<string>>();
  const runsOf = new Map<string, number>();
  for (const path of globSync(join(stateDir, 'agents/main/sessions/*.jsonl'))) {
    for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
      const { customType, data } = JSON.parse(line);
      if (customType !== 'openbot.turn') continue;
      runsOf.set(data.turnId, (runsOf.get(data.turnId) ?? 0) + 1);
      for (const id of data.messages) turnsOf.set(id, (turnsOf.get(id) ?? new Set()).add(data.turnId));
    }
  }
  return { turnsOf, runsOf };
}

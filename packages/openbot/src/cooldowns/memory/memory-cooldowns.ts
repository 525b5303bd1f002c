import type { Cooldown, Cooldowns } from '../contract.ts';

export function openMemoryCooldowns(): Cooldowns {
  const kept = new Map<string, Cooldown>();
  return {
    read: async () => new Map(kept),
    change: async (model, change) => {
      const after = change(kept.get(model));
      if (after === undefined) kept.delete(model);
      else kept.set(model, after);
    },
    close: async () => {},
  };
}

import { hash } from 'node:crypto';

/**
 * Names for what the calls of a turn do: the same for the same content in a run that repeats the turn after a crash, where
 * the model gives its calls other ids. What a turn asks for twice on purpose has two names.
 */
export function nameActions(turnId: string): (kind: string, content: unknown) => string {
  const counts = new Map<string, number>();
  return (kind, content) => {
    const print = `${kind}:${hash('sha256', JSON.stringify(content)).slice(0, 24)}`;
    const count = counts.get(print) ?? 0;
    counts.set(print, count + 1);
    return `${turnId}:${print}:${count}`;
  };
}

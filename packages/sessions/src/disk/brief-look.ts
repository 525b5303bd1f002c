/** A folder that is moved, or a link that is changed, is noticed after so long. */
const BRIEFLY_MS = 20;
const MOST_KNOWN = 1000;

/**
 * A look at the disk whose answer holds for a moment: a busy process asks thousands of times a second where the same few
 * folders are. A look that throws is not remembered.
 */
export function brieflyRemembered<T>(look: (path: string) => T): (path: string) => T {
  const known = new Map<string, { readonly at: number; readonly answer: T }>();
  return (path) => {
    const now = performance.now();
    const last = known.get(path);
    if (last !== undefined && now - last.at < BRIEFLY_MS) return last.answer;
    if (known.size >= MOST_KNOWN) known.clear();
    known.delete(path);
    const answer = look(path);
    known.set(path, { at: now, answer });
    return answer;
  };
}

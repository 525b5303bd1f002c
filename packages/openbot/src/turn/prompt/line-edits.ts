/** Puts other lines in the place of `removed` lines, from line `at` of the old text on. */
export type LineEdit = readonly [at: number, removed: number, ...added: string[]];

/** Cells of the table that finds common lines. Texts of a prompt are smaller; beyond it everything between counts as changed. */
const MOST_CELLS = 4_000_000;

/** What makes one text into another one, in the order of its lines. */
export function compareLines(before: string, after: string): LineEdit[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const [from, to] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  if (from.length * to.length > MOST_CELLS) return [[start, from.length, ...to]];
  return compareMiddle(from, to).map(([at, removed, ...added]) => [at + start, removed, ...added]);
}

export function applyEdits(text: string, edits: readonly LineEdit[]): string {
  const lines = linesOf(text);
  for (const [at, removed, ...added] of edits.toReversed()) lines.splice(at, removed, ...added);
  return lines.join('\n');
}

/** No text has no lines, so that it differs from an empty one. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

/** By the longest common subsequence. */
function compareMiddle(old: readonly string[], now: readonly string[]): LineEdit[] {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const edits: LineEdit[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [at, from] = [i, j];
    while (i < old.length || j < now.length) {
      if (i < old.length && j < now.length && old[i] === now[j]) break;
      const goesOn = i < old.length ? common[(i + 1) * width + j]! : -1;
      if (j === now.length || goesOn >= common[i * width + j + 1]!) i++;
      else j++;
    }
    if (i > at || j > from) edits.push([at, i - at, ...now.slice(from, j)]);
    while (i < old.length && j < now.length && old[i] === now[j]) {
      i++;
      j++;
    }
  }
  return edits;
}

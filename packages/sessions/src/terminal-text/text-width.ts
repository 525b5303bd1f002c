import stringWidth from 'string-width';

/**
 * Latin, Greek, Cyrillic and punctuation: one column each. Nearly every text is of these alone, and the first call of
 * string-width in a process takes as long as Node's own start.
 */
export const NARROW = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e]*$/;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** At most so many columns, with `…` where the rest was. */
export function cutEnd(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${takeWidth(clustersOf(text), width - 1).join('')}…`;
}

/**
 * The same for keys, ids and paths: `agent:…:dm:42`. Many of them begin alike and differ at the end, so the end gets two
 * thirds of the width.
 */
export function cutMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const clusters = [...clustersOf(text)];
  const start = takeWidth(clusters, Math.floor((width - 1) / 3)).join('');
  const end = takeWidth(clusters.reverse(), width - 1 - textWidth(start)).reverse();
  return `${start}…${end.join('')}`;
}

/** What a terminal draws as one: a flag is two code points, a family five or more. */
function* clustersOf(text: string): Generator<string> {
  if (NARROW.test(text)) yield* text;
  else for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}

function takeWidth(clusters: Iterable<string>, width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const cluster of clusters) {
    used += textWidth(cluster);
    if (used > width) break;
    kept.push(cluster);
  }
  return kept;
}

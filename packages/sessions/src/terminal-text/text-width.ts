import stringWidth from 'string-width';

/** Latin, Greek, Cyrillic, punctuation, arrows, lines and other signs: one column each. Nearly every text is of these alone. */
const NARROW =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u218b\u2190-\u2319\u2460-\u25fc\u2694-\u26a0\u270c-\u2727\u2729-\u274b\u2758-\u2794\u27c0-\u2b1a]*$/;

/** Han, kana, Hangul and emoji of one code point: two columns each. */
const WIDE =
  /[\u26a0\u2714\u2764\u27a1]\ufe0f|[\u231a\u231b\u23e9-\u23ec\u26a1\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u2b50\u2b55\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3250-\ua48c\uac00-\ud7a3\uff01-\uff60\u{1f300}-\u{1f320}\u{1f32d}-\u{1f335}\u{1f337}-\u{1f37c}\u{1f37e}-\u{1f393}\u{1f3a0}-\u{1f3ca}\u{1f3cf}-\u{1f3d3}\u{1f3e0}-\u{1f3f0}\u{1f400}-\u{1f43e}\u{1f440}\u{1f442}-\u{1f4fc}\u{1f4ff}-\u{1f53d}\u{1f550}-\u{1f567}\u{1f5fb}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f7e0}-\u{1f7eb}\u{1f90c}-\u{1f93a}\u{1f93c}-\u{1f945}\u{1f947}-\u{1f9ff}]/gu;

/**
 * How many columns of a terminal a text takes. string-width knows every text, but its first call in a process takes as
 * long as Node's own start.
 */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let wide = 0;
  const rest = text.replace(WIDE, () => {
    wide++;
    return '';
  });
  // What joins characters into one is neither narrow nor wide.
  return wide > 0 && NARROW.test(rest) ? rest.length + 2 * wide : stringWidth(text);
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

/** Lines of at most `width` columns, broken between words. A word that is longer has a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || textWidth(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** A command to copy stays whole: in quotation marks, or behind a colon or alone to the end of the line. */
const PIECES =
  /'(?:openbot|occ|openclaw) [^']*'[^\s]*|(?<=: +|^ *)(?:openbot|occ|openclaw) (?:(?!\. ).)*$|\S+/gu;

/**
 * Prose with lines of at most `width` columns, each broken between words and with the indent of its line. A word or a command
 * that is longer has a line of its own, which the terminal breaks.
 */
export function wrapProse(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  return text
    .split('\n')
    .map((line) => (textWidth(line) <= width ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const indent = /^ */.exec(line)![0];
  const lines: string[] = [];
  for (const [piece] of line.matchAll(PIECES)) {
    const longer = `${lines.at(-1)} ${piece}`;
    // `Error:` does not stand alone before a path that is broken anyway.
    const isBrokenAnyway = lines.length === 1 && !lines[0]!.trim().includes(' ') && textWidth(piece) > width;
    if (lines.length === 0 || (textWidth(longer) > width && !isBrokenAnyway)) lines.push(`${indent}${piece}`);
    else lines[lines.length - 1] = longer;
  }
  // A question waits behind its blank.
  return `${lines.join('\n')}${/ *$/.exec(line)![0]}`;
}

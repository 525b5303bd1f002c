import { textWidth } from '@openbot/sessions/terminal-text';

const ASCII = /^[\x20-\x7e]*$/;

/** Breaks a line between words, and within words that are too long. Its indentation is kept on each piece. */
export function wrapLine(line: string, width: number): string[] {
  if (line.length <= width && (ASCII.test(line) || textWidth(line) <= width)) return [line];
  if (width === Number.POSITIVE_INFINITY) return [line];
  const indent = /^ */.exec(line)![0];
  const room = width - indent.length;
  // A line that begins far to the right would have no room.
  if (room < Math.min(20, width)) return wrapWords(line.trimStart(), width);
  return wrapWords(line.slice(indent.length), room).map((piece) => indent + piece);
}

function wrapWords(text: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const [word] of text.matchAll(/ +|[^ ]+/g)) {
    const size = ASCII.test(word) ? word.length : textWidth(word);
    if (used + size <= width) {
      piece += word;
      used += size;
      continue;
    }
    const isBlank = word[0] === ' ';
    if (isBlank) continue;
    if (piece.trimEnd() !== '') pieces.push(piece.trimEnd());
    if (size <= width) {
      piece = word;
      used = size;
      continue;
    }
    const broken = breakWord(word, width);
    piece = broken.pop()!;
    used = textWidth(piece);
    // Not by spreading: a word of megabytes has many pieces.
    for (const one of broken) pieces.push(one);
  }
  if (piece.trimEnd() !== '' || pieces.length === 0) pieces.push(piece.trimEnd());
  return pieces;
}

/** @returns at least one piece */
function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  if (ASCII.test(word)) {
    for (let at = 0; at < word.length; at += width) pieces.push(word.slice(at, at + width));
    return pieces;
  }
  let piece = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const size = textWidth(segment);
    if (used + size > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += size;
  }
  return [...pieces, piece];
}

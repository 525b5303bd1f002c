const SIMPLE = /^[\x20-\x7e]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** At most so many columns, with `…` where the rest was. */
export function cutEnd(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${takeWidth(text, width - 1).join('')}…`;
}

/** The same, keeping the end: of a path that is what tells it from others. */
export function cutStart(text: string, width: number): string {
  return textWidth(text) <= width
    ? text
    : `…${takeWidth([...text].reverse(), width - 1)
        .reverse()
        .join('')}`;
}

function takeWidth(chars: Iterable<string>, width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const char of chars) {
    used += charWidth(char);
    if (used > width) break;
    kept.push(char);
  }
  return kept;
}

function charWidth(char: string): number {
  return ZERO.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
}

/**
 * Markdown in the marks of WhatsApp: `*bold*`, `_italic_`, `~struck~`, code as it is. What WhatsApp has no mark for is left
 * in words: a heading is bold, a link shows its address.
 */
export function renderText(markdown: string): string {
  let fence: string | undefined;
  const lines = markdown.split('\n').map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) {
      fence = mark;
      return '```';
    }
    if (fence === undefined) return renderLine(line);
    if (mark?.startsWith(fence) && line.trim() === mark) {
      fence = undefined;
      return '```';
    }
    return line;
  });
  if (fence !== undefined) lines.push('```');
  return lines.join('\n');
}

function renderLine(line: string): string {
  const heading = /^ {0,3}#{1,6} +(.+)$/.exec(line)?.[1];
  if (heading !== undefined) return `*${renderInline(heading.replace(/ +#+ *$/, '')).replaceAll('*', '')}*`;
  return renderInline(line.replace(/^(\s*)[*+] (?=\S)/, '$1- '));
}

/** Stands for the mark of bold until italics are done, which Markdown writes with the same sign. */
const BOLD = '\u0001';

function renderInline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((piece, at) => (at % 2 === 1 ? piece : renderMarks(piece)))
    .join('');
}

function renderMarks(text: string): string {
  return text
    .replace(/!?\[([^[\]]{1,500})\]\((https?:\/\/[^\s()]{1,2000})\)/g, (_, label: string, url: string) =>
      label === url ? url : `${label} (${url})`,
    )
    .replace(/\*\*\*([^*]+)\*\*\*/g, `${BOLD}_$1_${BOLD}`)
    .replace(/\*\*([^*]+)\*\*/g, `${BOLD}$1${BOLD}`)
    .replace(/(?<!\w)__([^_]+)__(?!\w)/g, `${BOLD}$1${BOLD}`)
    .replace(/(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g, '_$1_')
    .replace(/~~([^~]+)~~/g, '~$1~')
    .replaceAll(BOLD, '*');
}

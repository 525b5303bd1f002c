import { cleanLines } from './clean-lines.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

/** What was said, with code and emphasis as Markdown writes them. Nothing of it becomes a tag that was not made here. */
export function formatText(text: string): string {
  const blocks: string[] = [];
  let prose: string[] = [];
  let code: { readonly marks: string; readonly lines: string[] } | undefined;
  const endProse = () => {
    const kept = prose.join('\n').replace(/^\n+|\n+$/g, '');
    if (kept !== '') blocks.push(`<p>${formatProse(kept)}</p>`);
    prose = [];
  };
  for (const line of cleanLines(text)) {
    const marks = FENCE.exec(line)?.[1];
    if (code !== undefined && marks?.startsWith(code.marks) && line.trim() === marks) {
      blocks.push(formatCode(code.lines));
      code = undefined;
    } else if (code !== undefined) code.lines.push(line);
    else if (marks !== undefined) {
      endProse();
      code = { marks, lines: [] };
    } else if (line === '') endProse();
    else prose.push(line);
  }
  if (code !== undefined) blocks.push(formatCode(code.lines));
  endProse();
  return blocks.join('\n');
}

export function formatCode(lines: readonly string[]): string {
  return `<pre><code>${escapeHtml(lines.join('\n'))}</code></pre>`;
}

function formatProse(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((piece, at) => (at % 2 === 1 ? `<code>${escapeHtml(piece.slice(1, -1))}</code>` : emphasize(piece)))
    .join('');
}

function emphasize(text: string): string {
  return escapeHtml(text)
    .replace(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])/g, '<em>$1</em>')
    .replace(/^(#{1,6}) +(.+)$/gm, '<strong>$2</strong>');
}

import { closesFence, readFence } from '../../text/split-text.ts';
import { escapeHtml, type Rendered, renderInline } from './render-inline.ts';

/**
 * Markdown in the HTML that Telegram takes. Each tag that is opened is closed in the right order, and whatever is not
 * markup is shown as it was written.
 */
export function renderHtml(markdown: string): Rendered {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n');
  const blocks: Rendered[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, next } = readBlock(lines, at);
    blocks.push(block);
    at = next;
  }
  return joinLines(blocks);
}

interface Block {
  readonly block: Rendered;
  readonly next: number;
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(\S[^\n]*)$/;
const QUOTE = /^ {0,3}(?:>[ \t]?)+/;
const BULLET = /^([ \t]*)[-*+][ \t]+(?=\S)/;
const TABLE_ROW = /^[ \t]*\|/;
const TABLE_RULE = /^[ \t]*\|[ \t:|-]+$/;

function readBlock(lines: readonly string[], at: number): Block {
  const line = lines[at]!;
  const fence = readFence(line);
  if (fence !== undefined) return readCode(lines, at, fence);
  if (TABLE_ROW.test(line) && TABLE_RULE.test(lines[at + 1] ?? '')) return readTable(lines, at);
  if (QUOTE.test(line)) return readQuote(lines, at);
  return { block: renderLine(line), next: at + 1 };
}

function readCode(
  lines: readonly string[],
  at: number,
  { mark, info }: { readonly mark: string; readonly info: string },
): Block {
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end]!, mark)) end++;
  const text = lines.slice(at + 1, end).join('\n');
  const [language] = /^[\w+#.-]{1,32}(?=\s|$)/.exec(info) ?? [];
  const html =
    language === undefined
      ? `<pre>${escapeHtml(text)}</pre>`
      : `<pre><code class="language-${language}">${escapeHtml(text)}</code></pre>`;
  return { block: { html, text }, next: end + 1 };
}

/** In the width of code its columns stand below each other. */
function readTable(lines: readonly string[], at: number): Block {
  let end = at;
  while (end < lines.length && TABLE_ROW.test(lines[end]!)) end++;
  const text = lines.slice(at, end).join('\n');
  return { block: { html: `<pre>${escapeHtml(text)}</pre>`, text }, next: end };
}

/** Quotes inside of quotes are one: Telegram does not nest them. */
function readQuote(lines: readonly string[], at: number): Block {
  const quoted: Rendered[] = [];
  let end = at;
  for (; end < lines.length && QUOTE.test(lines[end]!); end++)
    quoted.push(renderLine(lines[end]!.replace(QUOTE, '')));
  const { html, text } = joinLines(quoted);
  return { block: { html: `<blockquote>${html}</blockquote>`, text }, next: end };
}

function renderLine(line: string): Rendered {
  const [, title] = HEADING.exec(line) ?? [];
  if (title) {
    const { html, text } = renderInline(title.trimEnd(), { isBold: true });
    return { html: `<b>${html}</b>`, text };
  }
  const [bullet, indent] = BULLET.exec(line) ?? [];
  if (bullet === undefined) return renderInline(line);
  const { html, text } = renderInline(line.slice(bullet.length));
  return { html: `${indent}• ${html}`, text: `${indent}• ${text}` };
}

function joinLines(lines: readonly Rendered[]): Rendered {
  return {
    html: lines.map(({ html }) => html).join('\n'),
    text: lines.map(({ text }) => text).join('\n'),
  };
}

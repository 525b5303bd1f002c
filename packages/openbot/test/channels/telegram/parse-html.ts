/** What Telegram makes of a text with `parse_mode: HTML`. */
export interface ParsedHtml {
  readonly text: string;
  readonly entities: readonly {
    readonly type: string;
    readonly offset: number;
    readonly length: number;
    readonly url?: string;
    readonly language?: string;
  }[];
}

const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  s: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  pre: 'pre',
  a: 'text_link',
  blockquote: 'blockquote',
};
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Throws with the words of Telegram for what it refuses. */
export function parseHtml(html: string): ParsedHtml {
  const entities: ParsedHtml['entities'][number][] = [];
  const open: { tag: string; offset: number; attributes: string }[] = [];
  let text = '';
  for (const { 0: token, index } of html.matchAll(/<[^>]*>?|&(?:#\d+|\w+);|[^<&]+|&/g)) {
    if (!token.startsWith('<')) {
      const [, name] = /^&(\w+);$/.exec(token) ?? [];
      text += name === undefined ? token : (NAMED[name] ?? token);
      continue;
    }
    const [, slash, tag = '', attributes = ''] = /^<(\/?)([a-z]*)([^>]*)>$/i.exec(token) ?? [];
    if (slash === undefined) throw new Error(`Unclosed start tag at byte offset ${index}`);
    if (TYPES[tag] === undefined) throw new Error(`Unsupported start tag "${tag}" at byte offset ${index}`);
    if (slash === '') {
      open.push({ tag, offset: text.length, attributes });
      continue;
    }
    const opened = open.pop();
    if (opened?.tag !== tag)
      throw new Error(
        `Unmatched end tag at byte offset ${index}, expected "</${opened?.tag}>", found "</${tag}>"`,
      );
    const [, url] = /^ href="([^"]*)"$/.exec(opened.attributes) ?? [];
    const [, language] = /^ class="language-([^"]*)"$/.exec(opened.attributes) ?? [];
    entities.push({
      type: TYPES[tag]!,
      offset: opened.offset,
      length: text.length - opened.offset,
      ...(url !== undefined && { url: url.replaceAll('&amp;', '&') }),
      ...(language !== undefined && { language }),
    });
  }
  if (open.length > 0) throw new Error(`Can't find end tag corresponding to start tag "${open.at(-1)!.tag}"`);
  return { text, entities };
}

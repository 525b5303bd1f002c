/** A text as Telegram is given it, and what people see of it. */
export interface Rendered {
  readonly html: string;
  /** Its length is what Telegram's limits are about. */
  readonly text: string;
}

/** Marks that are written on both sides, and the tag of each. The longer ones are looked for first. */
const PAIRS = [
  { mark: '**', tag: 'b' },
  { mark: '__', tag: 'b' },
  { mark: '~~', tag: 's' },
  { mark: '*', tag: 'i' },
  { mark: '_', tag: 'i' },
] as const;

/** Telegram takes no other links, and some of others could be a trick. */
const SAFE_LINK = /^(?:https?|tg|mailto|tel):[^\s"<>]+$/i;

// Each of these begins at a character of its own and ends at the next of its kind, so that a text of brackets alone is
// read once.
const LINK = /!?\[([^[\]\n]*)\]\(<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)?)>?(?:[ \t]+"[^"\n]*")?\)/y;
const PLAIN = /[^\\`*_~[!]+/y;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const TICKS = /`+/y;

interface Opened {
  readonly tag: string;
  readonly mark: string;
  /** Of the mark in what is written so far. */
  readonly place: number;
}

/**
 * The text inside of a line. A mark counts when its pair follows in the same line; marks that cross are shown, so tags
 * are always nested. In linear time, whatever the marks: at most one of each tag is open.
 */
export function renderInline(line: string, { isBold = false, isLink = false } = {}): Rendered {
  const html: string[] = [];
  const text: string[] = [];
  const open: Opened[] = [];
  const ticks = new TickRuns(line);
  const write = (shown: string, markup = escapeHtml(shown)) => {
    text.push(shown);
    html.push(markup);
  };
  let at = 0;
  while (at < line.length) {
    const plain = match(PLAIN, line, at);
    if (plain !== undefined) {
      write(plain[0]);
      at += plain[0].length;
      continue;
    }
    const escaped = match(ESCAPED, line, at);
    if (escaped !== undefined) {
      write(escaped[1]!);
      at += 2;
      continue;
    }
    const code = readCode(line, at, ticks);
    if (code !== undefined) {
      write(code.shown, code.isCode ? `<code>${escapeHtml(code.shown)}</code>` : undefined);
      at = code.next;
      continue;
    }
    const link = isLink ? undefined : readLink(line, at);
    if (link !== undefined) {
      write(link.rendered.text, link.rendered.html);
      at = link.next;
      continue;
    }
    const inner = isTriple(line, at) ? open.at(-1)?.mark : undefined;
    const pair =
      PAIRS.find(({ mark }) => mark === inner && mark === line[at]) ??
      PAIRS.find(({ mark }) => line.startsWith(mark, at));
    if (pair === undefined) {
      write(line[at++]!);
      continue;
    }
    const { mark, tag } = pair;
    const opened = open.findLastIndex((mine) => mine.tag === tag);
    if (opened >= 0 && open[opened]!.mark === mark && canClose(line, at, mark)) {
      const { place } = open[opened]!;
      // Bold in bold is no more than bold.
      const isShown = !(isBold && tag === 'b');
      html[place] = isShown ? `<${tag}>` : '';
      text[place] = '';
      write('', isShown ? `</${tag}>` : '');
      open.length = opened;
    } else {
      if (opened < 0 && canOpen(line, at, mark)) open.push({ tag, mark, place: html.length });
      write(mark);
    }
    at += mark.length;
  }
  return { html: html.join(''), text: text.join('') };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) =>
    character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;',
  );
}

function match(pattern: RegExp, line: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line) ?? undefined;
}

/** `***`, which is `**` and `*`. */
function isTriple(line: string, at: number): boolean {
  const mark = line[at]!;
  return line[at + 1] === mark && line[at + 2] === mark && line[at + 3] !== mark;
}

function canOpen(line: string, at: number, mark: string): boolean {
  const next = line[at + mark.length];
  if (next === undefined || /\s/.test(next)) return false;
  if (next === mark[0] && !(mark.length === 2 && isTriple(line, at))) return false;
  // snake_case is no markup.
  return mark[0] !== '_' || !isWord(line[at - 1]);
}

function canClose(line: string, at: number, mark: string): boolean {
  const before = line[at - 1];
  if (before === undefined || /\s/.test(before)) return false;
  return mark[0] !== '_' || !isWord(line[at + mark.length]);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** Where runs of backticks of each length come next, so that a line of them is looked through once. */
class TickRuns {
  readonly #places = new Map<number, number[]>();
  readonly #passed = new Map<number, number>();

  constructor(line: string) {
    for (const { 0: run, index } of line.matchAll(/`+/g)) {
      const places = this.#places.get(run.length) ?? [];
      places.push(index);
      this.#places.set(run.length, places);
    }
  }

  /** The first run of this length behind a place. Places only grow, so each is passed once. */
  next(length: number, behind: number): number | undefined {
    const places = this.#places.get(length) ?? [];
    let passed = this.#passed.get(length) ?? 0;
    while (passed < places.length && places[passed]! <= behind) passed++;
    this.#passed.set(length, passed);
    return places[passed];
  }
}

function readCode(
  line: string,
  at: number,
  runs: TickRuns,
): { readonly shown: string; readonly isCode: boolean; readonly next: number } | undefined {
  const run = match(TICKS, line, at)?.[0];
  if (run === undefined) return undefined;
  const end = runs.next(run.length, at);
  if (end === undefined) return { shown: run, isCode: false, next: at + run.length };
  const inside = line.slice(at + run.length, end);
  const isPadded = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '';
  return {
    shown: isPadded ? inside.slice(1, -1) : inside,
    isCode: true,
    next: end + run.length,
  };
}

function readLink(
  line: string,
  at: number,
): { readonly rendered: Rendered; readonly next: number } | undefined {
  const [whole, label = '', url = ''] = match(LINK, line, at) ?? [];
  if (whole === undefined) return undefined;
  const next = at + whole.length;
  // Shown as it was written: nothing of it is lost.
  if (!SAFE_LINK.test(url)) return { rendered: { html: escapeHtml(whole), text: whole }, next };
  const { html, text } = renderInline(label.trim() === '' ? url : label, { isLink: true });
  return { rendered: { html: `<a href="${escapeHtml(url)}">${html}</a>`, text }, next };
}

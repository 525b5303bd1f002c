import { parseReplyDirectives, REPLY_TAG } from '../../turn/reply/parse-reply-directives.ts';

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
/** What can still become `NO_REPLY`, `HEARTBEAT_OK` or `MEDIA:`, with the decoration of models around it. */
const MAY_BE_TOKEN = /^[\s\p{P}\p{S}]*(?:[A-Z_]*|[A-Z_]+[\s\p{P}\p{S}]*)$/u;
const MEDIA_LINE = /^[\s\p{P}]*MEDIA:/u;
/** What is longer is text. */
const LONGEST = { token: 64, tag: 256, media: 4096 };

/**
 * One message of the model while it is written, without what it writes for the runtime: directives such as
 * `[[reply_to_current]]`, lines with media, `NO_REPLY`. What may become one is held back until that is known.
 */
export class ReplyStream {
  /** All that was returned. */
  shown = '';
  #line = '';
  /** The last two characters of the line that were shown. */
  #before = '';
  /** A tag was taken out of the line. */
  #hadTag = false;
  #isCode = false;
  /** Line ends that are shown before the next text: those at the end of a message are not part of a reply. */
  #gap = '';

  /** What can be shown now. */
  add(delta: string): string {
    const lines = (this.#line + delta).split('\n');
    const last = lines.pop()!;
    this.#line = '';
    let out = '';
    for (const line of lines) out += this.#finishLine(line);
    // The character after a tag belongs to it.
    const open = last.endsWith(']]') ? Math.max(0, last.lastIndexOf('[[')) : last.length;
    const line = this.#takeTags(last.slice(0, open)) + last.slice(open);
    const held = this.#holdBack(line);
    const safe = line.slice(0, line.length - held);
    this.#line = line.slice(line.length - held);
    out += this.#show(safe);
    this.#before = (this.#before + safe).slice(-2);
    return out;
  }

  /** What was held back and is text after all. */
  end(): string {
    return this.#line === '' ? '' : this.#finishLine(this.#line);
  }

  /** A whole line, or the rest of one. */
  #finishLine(line: string): string {
    const isFence = this.#before === '' && FENCE.test(line);
    const rest = this.#takeTags(line);
    const text = this.#isCode || isFence || this.#before !== '' ? rest : hideDirectives(rest);
    const isGone = this.#before === '' && (text === undefined || (this.#hadTag && text.trim() === ''));
    if (isFence) this.#isCode = !this.#isCode;
    this.#before = '';
    this.#hadTag = false;
    this.#line = '';
    if (isGone) return '';
    const out = this.#show(text ?? '');
    this.#gap += '\n';
    return out;
  }

  #takeTags(line: string): string {
    if (this.#isCode || !line.includes(']]')) return line;
    const rest = (this.#before + line).replace(REPLY_TAG, '').slice(this.#before.length);
    if (rest !== line) this.#hadTag = true;
    return rest;
  }

  #show(text: string): string {
    if (text === '') return '';
    const out = (this.shown === '' ? this.#gap.replace(/^\n+/, '') : this.#gap) + text;
    this.#gap = '';
    this.shown += out;
    return out;
  }

  /** How many characters at the end of an unfinished line are not shown yet. */
  #holdBack(line: string): number {
    if (this.#before === '' && line.length <= LONGEST.token && MAY_BE_TOKEN.test(line)) return line.length;
    if (this.#isCode) return 0;
    if (this.#before === '' && line.length <= LONGEST.media && MEDIA_LINE.test(line)) return line.length;
    const tag = line.lastIndexOf('[[');
    const end = tag < 0 ? -1 : line.indexOf(']]', tag);
    const isOpen = tag >= 0 && (end < 0 || end + 2 === line.length);
    if (isOpen && line.length - tag <= LONGEST.tag) return line.length - tag;
    // Half of a tag's beginning, or of a surrogate pair.
    return /[[\ud800-\udbff]$/.test(line) ? 1 : 0;
  }
}

/** Undefined for a line of which nothing is left. */
function hideDirectives(line: string): string | undefined {
  if (line.trim() === '') return line;
  const { text } = parseReplyDirectives(line);
  return text === '' ? undefined : text;
}

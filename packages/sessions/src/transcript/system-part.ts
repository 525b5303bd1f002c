/** How each line begins that the runtime of an agent puts in front of a person's words: events, news, instructions. */
const MARK = 'System: ';
const TIMED = /^System: \[\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}[^\]\n]*\]/;

export interface SystemPart {
  readonly told: string;
  /** Empty where the runtime wrote the whole text. */
  readonly words: string;
}

/**
 * Parts a text in a person's place into what the runtime told in front of it, one marked line after another, and the words
 * of the person. An empty line is between them. Undefined for a text without such lines.
 *
 * @param isGuarded no words of people begin as such a line: OpenBot puts `> ` in front of them. Elsewhere a person may have
 * typed `System: `, so that one of the lines must have its time: `System: [2026-01-12 12:19:17 PST] Model switched.`
 */
export function splitSystemPart(text: string, { isGuarded = false } = {}): SystemPart | undefined {
  if (!text.startsWith(MARK)) return undefined;
  let end = 0;
  let isOurs = isGuarded;
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at);
    const next = lineEnd < 0 ? text.length : lineEnd + 1;
    if (text.startsWith(MARK, at)) {
      isOurs ||= TIMED.test(text.slice(at, at + 80));
      end = next;
    } else if (text[at] !== '\n') break;
    at = next;
  }
  if (!isOurs) return undefined;
  const rest = text.slice(end);
  const words = rest.startsWith('\n') ? rest.slice(1) : rest;
  return { told: text.slice(0, end).trimEnd(), words: words.trim() === '' ? '' : words };
}

/** The words of the person in a text in their place. */
export function wordsBehindSystemPart(text: string): string {
  return splitSystemPart(text)?.words ?? text;
}

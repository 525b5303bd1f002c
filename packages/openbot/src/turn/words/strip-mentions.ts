/** Patterns come from a person's configuration and may be slow: they see the beginning and the end of a long text. */
const SEARCHED = 4096;
/** `@4915112345678`, as WhatsApp writes a mention, and `<@123>`, as Discord does. */
const NUMERIC = /(?<![\p{L}\p{N}_])(?:@\+?\d{5,20}(?!\d)|<@[!&]?\d{1,32}>)/gu;
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

export interface MentionWords {
  /** Compiled by `compileMentionPatterns`. */
  readonly patterns?: readonly RegExp[];
  /** With or without `@`. */
  readonly botUsername?: string;
}

/** The text without the words that address the agent. Other white space stays as it is. */
export function stripMentions(text: string, words: MentionWords = {}): string {
  let head = text.slice(0, SEARCHED);
  for (const regex of [...(words.patterns ?? []), ...usernamePattern(words.botUsername), NUMERIC]) {
    head = removeMatches(head, regex);
  }
  return (head + text.slice(SEARCHED)).trim();
}

/** `@mybot /status`: the text without the name of the agent in front. */
export function stripAddress(text: string, botUsername: string | undefined): string {
  const at = text.search(/\S/);
  const [name] = usernamePattern(botUsername);
  const found = name && /^\s{0,100}@/.test(text) ? name.exec(text.slice(0, SEARCHED)) : undefined;
  if (found?.index !== at) return text;
  return text.slice(at + found[0].length).replace(/^[,:]?\s*/, '');
}

/** Whether the text names the agent. Invisible characters do not hide a mention. */
export function hasMention(text: string, words: MentionWords): boolean {
  const searched =
    text.length <= 2 * SEARCHED ? text : `${text.slice(0, SEARCHED)}\n${text.slice(-SEARCHED)}`;
  const visible = searched.replace(INVISIBLE, '');
  return [...(words.patterns ?? []), ...usernamePattern(words.botUsername)].some((regex) => {
    regex.lastIndex = 0;
    return regex.test(visible);
  });
}

function usernamePattern(username: string | undefined): RegExp[] {
  const name = username?.trim().replace(/^@/, '') ?? '';
  if (name === '') return [];
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return [new RegExp(`(?<![\\p{L}\\p{N}_@.])@${escaped}(?![\\p{L}\\p{N}_])`, 'giu')];
}

/** A removed word takes the space on one side with it, and a comma or colon that followed the address. */
function removeMatches(text: string, regex: RegExp): string {
  let out = '';
  let copied = 0;
  for (const found of text.matchAll(regex)) {
    const before = text.slice(copied, found.index);
    out += before;
    copied = found.index + found[0].length;
    const opensLine = out === '' || out.endsWith('\n');
    if (opensLine && /^[,:]/.test(text.slice(copied, copied + 1))) copied += 1;
    if ((opensLine || /\s$/.test(out.slice(-1))) && /^[ \t]/.test(text.slice(copied, copied + 1)))
      copied += 1;
  }
  return out + text.slice(copied);
}

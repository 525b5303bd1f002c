const INVISIBLE = '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff';
const UNUSUAL = new RegExp(`[${INVISIBLE}\\uff0f\\u2044\\u2215]`);
const WORD = new RegExp(`(?<=^|\\s)[${INVISIBLE}]*[/\\uff0f\\u2044\\u2215][\\w@.:${INVISIBLE}-]{1,120}`, 'g');
const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'g');
/** Commands in a text of megabytes are those at its start. */
export const SEARCHED = 20_000;

/**
 * Words with a slash in front, as a person sees them: the slashes of other keyboards (`／status`) are slashes, and copied
 * words bring characters along that nobody sees.
 */
export function plainSlashes(text: string): string {
  const head = text.slice(0, SEARCHED);
  if (!UNUSUAL.test(head)) return text;
  return (
    head.replace(WORD, (word) => word.replace(INVISIBLES, '').replace(/^./u, '/')) + text.slice(SEARCHED)
  );
}

/** Whether a text may have a command in it. */
export function hasSlash(text: string): boolean {
  return /[/\uff0f\u2044\u2215]/.test(text);
}

import { maskToken } from './mask.ts';

/**
 * Tokens that are known by their own look. Every pattern begins where a word begins and takes the whole word, so that
 * no character is looked at from many starting points. The ends of masked tokens are not beginnings.
 */
const PATTERNS: readonly (readonly [pattern: string, check?: (token: string) => boolean])[] = [
  // OpenAI, Anthropic, OpenRouter, DeepSeek and others. Theirs may be of letters alone.
  ['sk-[A-Za-z0-9_-]{16,}', (token) => /^sk-ant-[a-z]{2,8}\d{2}-/.test(token) || hasRandomPart(token)],
  ['(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}'],
  ['whsec_[A-Za-z0-9+/=]{16,}'],
  ['AIza[A-Za-z0-9_-]{30,}'],
  ['ya29\\.[A-Za-z0-9_-]{20,}'],
  ['GOCSPX-[A-Za-z0-9_-]{20,}'],
  ['1//0[A-Za-z0-9_-]{30,}'],
  ['(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9_-])'],
  ['gh[pousr]_[A-Za-z0-9]{20,}'],
  ['github_pat_[A-Za-z0-9_]{20,}'],
  ['gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|soat)-[A-Za-z0-9_-]{16,}'],
  ['xox[abeoprs]-[A-Za-z0-9-]{10,}', (token) => /\d/.test(token) || hasRandomPart(token)],
  ['xapp-[A-Za-z0-9-]{10,}', (token) => /\d/.test(token)],
  ['npm_[A-Za-z0-9]{20,}'],
  ['pypi-[A-Za-z0-9_-]{40,}'],
  ['hf_[A-Za-z0-9]{20,}'],
  ['gsk_[A-Za-z0-9]{20,}'],
  ['(?:pplx|xai)-[A-Za-z0-9]{20,}'],
  ['r8_[A-Za-z0-9]{20,}'],
  ['tvly-[A-Za-z0-9-]{16,}', (token) => /\d/.test(token)],
  ['dop_v1_[a-f0-9]{32,}'],
  ['shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{20,}'],
  ['SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}'],
  ['key-[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}'],
  ['lin_api_[A-Za-z0-9]{20,}'],
  ['ntn_[A-Za-z0-9]{20,}'],
  ['secret_[A-Za-z0-9]{32,}'],
  ['AGE-SECRET-KEY-1[A-Z0-9]{40,}'],
  // Telegram bots, also inside the addresses of its API.
  ['(?:bot)?\\d{6,12}:[A-Za-z0-9_-]{30,}', (token) => /[A-Z]/.test(token) && /:.*[a-z]/.test(token)],
  // Discord bots.
  ['[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}', (token) => /\d/.test(token)],
  // JSON web tokens, signed or encrypted.
  ['eyJ[A-Za-z0-9_-]{10,}(?:\\.[A-Za-z0-9_-]+){1,4}', (token) => token.length >= 30],
];

const RULES = PATTERNS.map(([pattern, check]) => ({
  pattern: new RegExp(`(?<![A-Za-z0-9_…*-])${pattern}`, 'g'),
  check,
}));

/** What every token has: a stretch of so many characters without signs, or one of two beginnings. Few texts have it. */
const SHORTEST = 15;

function mayHaveToken(text: string): boolean {
  // A stretch covers one of these places; looking at every place takes twenty times as long.
  for (let at = SHORTEST - 1; at < text.length; ) {
    let start = at;
    while (start > at - SHORTEST && isPart(text.charCodeAt(start))) start--;
    if (start <= at - SHORTEST) return true;
    let end = at + 1;
    while (end < text.length && end - start <= SHORTEST && isPart(text.charCodeAt(end))) end++;
    if (end - start > SHORTEST) return true;
    at += SHORTEST;
  }
  return text.includes('eyJ') || text.includes('whsec_');
}

/** A letter, a digit, _ or -. */
function isPart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    code === 45
  );
}

/** The secret that belongs to a key id of Amazon's is known by standing beside it, with a few words between. */
const AMAZON_PAIR =
  /(?<![A-Za-z0-9_\u2026*-])((?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9]{1,8}(?:[A-Za-z_]{2,20}[^A-Za-z0-9/+]{1,4}){0,4})([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g;

export function redactTokens(text: string): string {
  if (!mayHaveToken(text)) return text;
  let result = text.replace(AMAZON_PAIR, (_whole, head: string, secret: string) => head + maskToken(secret));
  for (const { pattern, check } of RULES) {
    result = result.replace(pattern, (token) =>
      check === undefined || check(token) ? maskToken(token) : token,
    );
  }
  return result;
}

/** A part between hyphens that is no word: with digits, with capitals inside, or longer than words are. */
function hasRandomPart(token: string): boolean {
  return token
    .split('-')
    .some(
      (part) =>
        (part.length >= 12 && /\d/.test(part)) ||
        (part.length >= 20 && /[a-z][A-Z]/.test(part)) ||
        part.length >= 28,
    );
}

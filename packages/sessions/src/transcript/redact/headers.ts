import { isPlaceholder, maskPassword, maskToken } from './mask.ts';

const OPEN = '\\\\{0,3}["\'`]?';
const AUTHORIZATION = new RegExp(
  `((?<![a-z0-9])(?:proxy-)?authorization${OPEN}\\s{0,8}[:=]\\s{0,8}${OPEN})((?:bearer|basic|token|apikey|api-key|bot|digest|negotiate|ntlm)\\s{1,8})?([^\\s"'\`\\\\,;<>(){}]+)`,
  'gi',
);
const BEARER = /(?<![A-Za-z0-9])((?:[Bb]earer|BEARER)\s{1,8})([A-Za-z0-9._~+/=-]{16,})/g;
const BASIC = /(?<![A-Za-z0-9])(Basic )([A-Za-z0-9+/]{12,}={0,2})(?![A-Za-z0-9+/=])/g;
const COOKIE = new RegExp(
  `((?<![a-z])(?:set-)?cookie${OPEN}\\s{0,8}:\\s{0,8}${OPEN})(?=[^\\s=;,"'\`\\\\]{1,128}=)`,
  'gi',
);
const COOKIE_PAIR = /(\s{0,8}[^\s=;,"'`\\]{1,128}=)([^\s;"'`\\]*)(;?)/y;
const COOKIE_ATTRIBUTE = /^\s*(?:path|domain|expires|max-age|samesite|secure|httponly|priority)=/i;

export function redactHeaders(text: string): string {
  const replaced = text
    .replace(AUTHORIZATION, (whole, head: string, scheme: string | undefined, value: string) => {
      if (isPlaceholder(value)) return whole;
      const telling =
        scheme === undefined
          ? value.length >= 12 && hasDigitAndLetter(value)
          : value.length >= 8 || /\d/.test(value);
      return telling ? `${head}${scheme ?? ''}${hideCredentials(scheme, value)}` : whole;
    })
    .replace(BEARER, (whole, head: string, value: string) =>
      looksRandom(value) ? head + maskToken(value) : whole,
    )
    .replace(BASIC, (whole, head: string, value: string) =>
      isBasicCredentials(value) ? head + maskPassword(value) : whole,
    );
  return redactCookies(replaced);
}

/** Basic credentials are a password in another alphabet. */
function hideCredentials(scheme: string | undefined, value: string): string {
  return /^basic/i.test(scheme ?? '') ? maskPassword(value) : maskToken(value);
}

/** The word Basic stands before many others: only base64 of a user, a colon and a password counts. */
function isBasicCredentials(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('utf8');
  return text.includes(':') && !/[\p{Cc}\ufffd]/u.test(text);
}

function redactCookies(text: string): string {
  let out = '';
  let copied = 0;
  COOKIE.lastIndex = 0;
  while (COOKIE.exec(text) !== null) {
    let at = COOKIE.lastIndex;
    out += text.slice(copied, at);
    COOKIE_PAIR.lastIndex = at;
    for (let pair = COOKIE_PAIR.exec(text); pair !== null; pair = COOKIE_PAIR.exec(text)) {
      const [whole, name, value, end] = pair as unknown as [string, string, string, string];
      out += value === '' || COOKIE_ATTRIBUTE.test(name) ? whole : name + maskToken(value) + end;
      at = COOKIE_PAIR.lastIndex;
      if (end === '') break;
    }
    copied = at;
    COOKIE.lastIndex = at;
  }
  return out + text.slice(copied);
}

function hasDigitAndLetter(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Not a word of a language: digits among letters, or capitals where no word has them. */
function looksRandom(value: string): boolean {
  return hasDigitAndLetter(value) || /=$/.test(value) || /[a-z][A-Z]+[a-z]+[A-Z]/.test(value);
}

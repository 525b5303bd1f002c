import { isPlaceholder, MASK, maskPassword, maskToken } from './mask.ts';

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

/** The word Basic precedes many others: only base64 of a user, a colon and a password counts. */
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

/** Up to the last @ of the authority: people leave an @ in a password unescaped. */
const USER_INFO = /:\/\/([^\s/?#"'<>`@:\\[\]]*):([^\s/?#"'<>`\\]+)@/g;
/** A password with an unescaped slash: what follows the colon is then no port. */
const SLASH_IN_PASSWORD =
  /:\/\/([^\s/?#"'<>`@:\\[\]]{1,128}):(?!\/|\d{1,5}(?:[/?#\s]|$))([^\s"'<>`@\\]{1,128})@/g;
/** What the two above leave of a password with an @ before its slash: a host that is none, and a further @. */
const REST_OF_PASSWORD =
  /(:\/\/[^\s/?#"'<>`@:\\[\]]{0,128}:\*\*\*@)([^\s/?#"'<>`\\@]{0,128})[/?#](?:(?!:\/\/)[^\s"'<>`\\])*@/g;
const TOKEN_AS_USER = /:\/\/([A-Za-z0-9_.~%-]{20,200})@/g;

const ALWAYS_SECRET =
  'access_token|auth_token|refresh_token|id_token|session_token|token|api_?key|apikey|secret|client_secret|password|passwd|pwd|jwt|x-amz-signature|x-amz-security-token|x-goog-signature';
const SECRET_WHEN_LONG =
  'key|sig|signature|auth|code|session|sessionid|sid|credential|x-amz-credential|hmac|ticket';
const QUERY = new RegExp(`([?&;](${ALWAYS_SECRET}|${SECRET_WHEN_LONG})=)([^\\s&#;"'<>\`\\\\]+)`, 'gi');
const ALWAYS = new RegExp(`^(?:${ALWAYS_SECRET})$`, 'i');

/** Addresses whose path is the secret. */
const WEBHOOK =
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{1,24}\/)([A-Za-z0-9_/-]{20,})/g;

export function redactUrls(text: string): string {
  return text
    .replace(USER_INFO, hidePassword)
    .replace(SLASH_IN_PASSWORD, hidePassword)
    .replace(REST_OF_PASSWORD, (whole, head: string, host: string) => (isPlainlyHost(host) ? whole : head))
    .replace(TOKEN_AS_USER, (whole, user: string) => (/\d/.test(user) ? `://${maskToken(user)}@` : whole))
    .replace(QUERY, (whole, head: string, name: string, value: string) => {
      if (isPlaceholder(value)) return whole;
      if (!ALWAYS.test(name) && !(value.length >= 12 && /\d/.test(value))) return whole;
      return head + (/^p/i.test(name) ? maskPassword(value) : maskToken(value));
    })
    .replace(WEBHOOK, (_whole, head: string, path: string) => head + maskToken(path));
}

function isPlainlyHost(text: string): boolean {
  return /[.:[\]]|^localhost$/i.test(text);
}

function hidePassword(whole: string, user: string, password: string): string {
  if (/^(?:[<${]|\*+$)/.test(password)) return whole;
  const shownUser = user.length >= 20 && /\d/.test(user) ? maskToken(user) : user;
  return `://${shownUser}:${MASK}@`;
}

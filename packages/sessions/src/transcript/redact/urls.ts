import { isPlaceholder, MASK, maskPassword, maskToken } from './mask.ts';

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

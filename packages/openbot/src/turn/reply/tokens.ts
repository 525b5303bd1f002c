/** A reply that is only this is not sent. */
export const SILENT_REPLY_TOKEN = 'NO_REPLY';
/** The answer to a heartbeat that found nothing to do. Anywhere else it is a slip of the model. */
export const HEARTBEAT_TOKEN = 'HEARTBEAT_OK';

/** White space, punctuation and emphasis that a model puts around a token. */
const DECORATION = '[\\s\\p{P}\\p{S}]';
const DECORATED = /^[\s\p{P}\p{S}]$/u;

const EMPHASIS = /<\/?[a-z]{1,10}>/gi;

/** Whether a text is the token alone; `**NO_REPLY**.` and `<b>NO_REPLY</b>` are too. */
export function isTokenAlone(reply: string, token: string): boolean {
  if (!reply.includes(token)) return false;
  const text = reply.replace(EMPHASIS, '');
  const at = text.indexOf(token);
  if (text.indexOf(token, at + token.length) >= 0) return false;
  return isDecoration(text, 0, at) && isDecoration(text, at + token.length, text.length);
}

function isDecoration(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!DECORATED.test(text.charAt(at))) return false;
  return true;
}

const OPENING = (token: string) =>
  new RegExp(`^${DECORATION}{0,8}${token}(?![\\p{L}\\p{N}_])[ \\t*_\`~]{0,8}[.!:,]?`, 'u');
const CLOSING = (token: string) => new RegExp(`(?<![\\p{L}\\p{N}_])[*_\`~]{0,4}${token}[*_\`~.!]{0,4}$`, 'u');
const HEARTBEAT_OPENING = OPENING(HEARTBEAT_TOKEN);
const HEARTBEAT_CLOSING = CLOSING(HEARTBEAT_TOKEN);
const SILENT_LINE = new RegExp(`(?:^|\\n)[ \\t]{0,8}[*_\`~]{0,4}${SILENT_REPLY_TOKEN}[*_\`~.!]{0,4}$`, 'u');

/** Takes the token off the beginning and the end of a reply. In the middle it is part of a sentence. */
export function stripHeartbeatToken(text: string): string {
  if (!text.includes(HEARTBEAT_TOKEN)) return text;
  if (isTokenAlone(text, HEARTBEAT_TOKEN)) return '';
  let rest = text.trim();
  for (let rounds = 0; rounds < 4; rounds++) {
    const next = rest.replace(HEARTBEAT_OPENING, '').replace(HEARTBEAT_CLOSING, '').trim();
    if (next === rest) break;
    rest = next;
  }
  return rest;
}

/** A reply with words and the token on a last line of its own: the words are sent. */
export function stripSilentToken(text: string): string {
  if (!text.includes(SILENT_REPLY_TOKEN)) return text;
  if (isTokenAlone(text, SILENT_REPLY_TOKEN)) return '';
  const trimmed = text.trimEnd();
  const stripped = trimmed.slice(-64).replace(SILENT_LINE, '');
  if (stripped.length === Math.min(64, trimmed.length)) return text;
  const words = (trimmed.slice(0, -64) + stripped).trimEnd();
  return isTokenAlone(words, SILENT_REPLY_TOKEN) ? '' : words;
}

import { redactAssignments } from './assignments.ts';
import { redactHeaders, redactUrls } from './headers.ts';
import { endOfValue, isMasked, isPlaceholder, maskPassword, readValue } from './mask.ts';
import { redactTokens } from './tokens.ts';

const MAX_ROUNDS = 8;

/**
 * Hides API keys, tokens, passwords, private keys, credentials in headers and cookies. Takes time linear in the length
 * of the text, whatever it holds, and leaves what it has redacted alone: redacting twice is redacting once.
 */
export function redactSecrets(text: string): string {
  let current = text;
  // Hiding one secret can bring another into view (a token inside a cookie): until nothing changes any more.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = redactOnce(current);
    if (next === current) break;
    current = next;
  }
  return current;
}

function redactOnce(text: string): string {
  return redactTokens(redactAssignments(redactCommands(redactHeaders(redactUrls(redactPrivateKeys(text))))));
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const HIDDEN = '…redacted…';
const END = '-----END ';
const END_LINE = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const LONGEST_KEY = 65_536;
/**
 * The body of a key whose end is missing: lines such as Proc-Type, then long words of base64, with real or written-out
 * line ends between.
 */
const BODY_WITHOUT_END =
  /(?:(?:(?:\s|\\[nr])+[A-Z][A-Za-z-]{1,40}: [^\r\n\\]{1,200}(?=[\r\n\\])){0,8}(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})+)?/y;

function redactPrivateKeys(text: string): string {
  let out = '';
  let copied = 0;
  let nextEnd = -1;
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const body = BEGIN.lastIndex;
    // Looked up once and kept, so that many beginnings without an end stay linear.
    if (nextEnd !== text.length && nextEnd < body) {
      nextEnd = text.indexOf(END, body);
      if (nextEnd < 0) nextEnd = text.length;
    }
    END_LINE.lastIndex = nextEnd;
    const closed = nextEnd - body <= LONGEST_KEY && END_LINE.test(text);
    let end = nextEnd;
    if (!closed) {
      BODY_WITHOUT_END.lastIndex = body;
      BODY_WITHOUT_END.test(text);
      end = BODY_WITHOUT_END.lastIndex;
      if (end === body) continue;
    }
    out += text.slice(copied, body) + HIDDEN;
    copied = end;
    BEGIN.lastIndex = end;
  }
  return out + text.slice(copied);
}

/** What tells where a call of curl begins and ends, and its options that take a user with a password. */
const STEP =
  /(?<![\w-])(curl)(?![\w-])|(?<!\\\r?)(\n)|(?<![\w-])(?:-u|-U|--user|--proxy-user)(?:\\{0,3}["'`])?[ \t=,]{0,8}/g;

/** `curl -u user:password`. To other commands `-u` is something else: docker takes a user and a group. */
function redactCommands(text: string): string {
  let out = '';
  let copied = 0;
  let inCurl = false;
  STEP.lastIndex = 0;
  for (let step = STEP.exec(text); step !== null; step = STEP.exec(text)) {
    if (step[1] !== undefined) inCurl = true;
    else if (step[2] !== undefined) inCurl = false;
    else if (inCurl) {
      const value = readValue(text, STEP.lastIndex);
      const colon = value?.text.indexOf(':') ?? -1;
      if (value === undefined || colon < 1) continue;
      const password = value.text.slice(colon + 1);
      if (password === '' || isMasked(password) || isPlaceholder(password)) continue;
      out += text.slice(copied, value.start + colon + 1) + maskPassword(password);
      copied = endOfValue(text, value);
      STEP.lastIndex = copied;
    }
  }
  return out + text.slice(copied);
}

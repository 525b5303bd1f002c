import { isMasked, isPlaceholder, maskPassword } from './mask.ts';
import { endOfValue, readValue } from './value.ts';

/** What tells where a call of curl begins and ends, and its options that take a user with a password. */
const STEP =
  /(?<![\w-])(curl)(?![\w-])|(?<!\\\r?)(\n)|(?<![\w-])(?:-u|-U|--user|--proxy-user)(?:\\{0,3}["'`])?[ \t=,]{0,8}/g;

/** `curl -u user:password`. To other commands `-u` is something else: docker takes a user and a group. */
export function redactCommands(text: string): string {
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

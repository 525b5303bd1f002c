export const DEFAULT_RESET_TRIGGERS: readonly string[] = ['/new', '/reset'];

export interface ResetTriggerMatch {
  /** The trigger as configured. */
  trigger: string;
  /** What was written behind it, in its own case; '' when nothing was. */
  bodyStripped: string;
}

/**
 * Whether a message asks for a new session. The trigger must be the whole message or be followed by white space; case
 * does not matter, and of several that fit the longest counts. Null for senders who are not authorised. An empty list
 * means the default triggers. In groups Telegram appends the bot's name (`/new@mybot`): given `botUsername`, it is
 * taken for part of the trigger. One that is repeated (`/new /reset hello`) counts once.
 */
export function matchResetTrigger(params: {
  body: string | undefined;
  triggers?: readonly string[];
  authorized: boolean;
  botUsername?: string;
}): ResetTriggerMatch | null {
  if (!params.authorized || typeof params.body !== 'string') return null;
  const triggers = params.triggers?.length ? params.triggers : DEFAULT_RESET_TRIGGERS;
  const first = matchOnce(params.body.trim(), triggers, params.botUsername);
  let last = first;
  for (let next = first; next !== null; next = matchOnce(last!.bodyStripped, triggers, params.botUsername))
    last = next;
  return first && { ...first, bodyStripped: last!.bodyStripped };
}

function matchOnce(
  body: string,
  triggers: readonly string[],
  botUsername: string | undefined,
): ResetTriggerMatch | null {
  let best: ResetTriggerMatch | null = null;
  for (const given of triggers) {
    const trigger = typeof given === 'string' ? given.trim() : '';
    if (trigger === '' || (best && best.trigger.length >= trigger.length)) continue;
    const rest = readRest(body, trigger, botUsername);
    if (rest !== null) best = { trigger, bodyStripped: rest };
  }
  return best;
}

function readRest(body: string, trigger: string, botUsername: string | undefined): string | null {
  let rest = stripStart(body, trigger);
  if (rest === null) return null;
  const name = botUsername?.trim().replace(/^@/, '');
  if (name) rest = stripStart(rest, `@${name}`) ?? rest;
  return rest === '' || /^\s/.test(rest) ? rest.trim() : null;
}

function stripStart(text: string, start: string): string | null {
  const head = text.slice(0, start.length);
  return head.toLowerCase() === start.toLowerCase() ? text.slice(start.length) : null;
}

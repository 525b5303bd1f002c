import { isAuthorizedSender, matchResetTrigger } from '@openbot/sessions/policy';
import type { InboxMessage } from '../inbox/contract.ts';
import type { MessageKind } from './contract.ts';

/** Of people and bots, at the start of a message in a group. Bounded: each repetition takes stack. */
const MENTIONS = /^(?:<?@[^\s>]{1,100}>?[\s:,]{0,100}){1,20}/;

/**
 * A word with a slash in front, or one that begins a new session, is a command from any sender: its turn decides
 * what comes of it. `/stop` and `/abort` act before that, so their sender must have the right, by the rule for resets.
 */
export function kindOfMessage(
  { ctx }: Pick<InboxMessage, 'ctx'>,
  {
    triggers,
    allowFrom,
  }: { readonly triggers?: readonly string[]; readonly allowFrom?: readonly (string | number)[] } = {},
): MessageKind {
  const written = ctx.BodyForCommands ?? ctx.CommandBody ?? ctx.RawBody ?? ctx.Body;
  if (typeof written !== 'string') return 'text';
  const body = written.trimStart().replace(MENTIONS, '');
  const rest = { body, authorized: true, botUsername: ctx.BotUsername };
  const stop = matchResetTrigger({ ...rest, triggers: ['/stop', '/abort'] });
  if (stop?.bodyStripped === '' && isAuthorizedSender({ ctx, allowFrom })) return 'stop';
  const isCommand = /^\/[a-z]/i.test(body) || matchResetTrigger({ ...rest, triggers }) !== null;
  return isCommand ? 'command' : 'text';
}

import type { MsgContext } from '../../message/msg-context.ts';

const CURRENT_MESSAGE = /\[Current message[^\]\n]{0,100}\]\s*/;
const WRAPPERS = /^\s*(?:\[[^\]\n]*\]\s*)+/;
const SENDER = /^[\p{L}\p{N}+()_. -]{1,64}:\s+/u;

/**
 * The text in which commands are looked for, in its own case: the cleanest variant that the adapter gave, without the
 * wrappers that the others carry (`[Dec 4 17:35] Alice: `).
 */
export function readCommandText(ctx: MsgContext): string {
  const source = [ctx.BodyForCommands, ctx.CommandBody, ctx.RawBody, ctx.Body].find(
    (text) => typeof text === 'string',
  );
  const text = (source ?? '').split(CURRENT_MESSAGE).at(-1) ?? '';
  const unwrapped = text.replace(WRAPPERS, '');
  return (unwrapped === text ? text : unwrapped.replace(SENDER, '')).trim();
}

/** The same without the bot's name in front, with which people address it in groups. */
export function stripOwnMention(text: string, botUsername: string | undefined): string {
  const name = botUsername?.trim().replace(/^@/, '').toLowerCase();
  const [head = ''] = text.split(/\s/, 1);
  const bare = head.toLowerCase().replace(/[,:]$/, '');
  const isMention = /^<@!?\d+>$/.test(bare) || (name !== undefined && name !== '' && bare === `@${name}`);
  return isMention ? text.slice(head.length).trim() : text;
}

/** What the agent is given when no reset trigger was taken off. */
export function readAgentText(ctx: MsgContext): string {
  const variants = [ctx.BodyForAgent, ctx.Body, ctx.CommandBody, ctx.RawBody, ctx.BodyForCommands];
  return variants.find((text) => typeof text === 'string') ?? '';
}

import { isGroupMessage } from '@openbot/sessions/key';
import { isOwner, mayCommand } from '../access/senders.ts';
import { type CommandWords, takeInside } from '../chat-commands/parse-words.ts';
import { hasSlash } from '../chat-commands/plain-slashes.ts';
import { resolveAgentSettings } from '../config/agents.ts';
import { indexModels } from '../config/models.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import {
  type MessageRules,
  type ReadMessage,
  readAfterReset,
  readMessage,
  type SenderRights,
} from '../queue/message-kind.ts';
import { isKnownModel } from '../session-settings/model-setting.ts';
import { finalizeInboundContext, readRawBody } from '../turn/inbound/finalize-inbound-context.ts';
import { hasMention, type MentionWords } from '../turn/words/strip-mentions.ts';
import type { BotOptions } from './contract.ts';
import { OWN_CHANNELS } from './own-channels.ts';

type ReadableMessage = Pick<InboxMessage, 'ctx' | 'agentId'> & {
  readonly identity: { readonly channel: string; readonly accountId: string };
};

export interface MessageReader {
  (message: ReadableMessage): ReadMessage;
  stripInside(message: ReadableMessage, text: string): string;
  readAfterReset(message: ReadableMessage, text: string): CommandWords | undefined;
}

const PLAIN: ReadMessage = { kind: 'text', words: { is: 'text' }, isCommand: false, isRefused: false };

/** Tells what messages ask of the bot itself, by its configuration. */
export function makeMessageReader(
  { config, stateDir, env }: Pick<BotOptions, 'config' | 'stateDir' | 'env'>,
  mentions: MentionWords,
): MessageReader {
  const { resetTriggers: triggers } = config.session ?? {};
  const needsSlash = (triggers ?? []).every((trigger) => trigger.trim().startsWith('/'));
  const known = new Map<string, MessageRules['names']>();
  const namesOf = (agentId: string) => {
    if (!known.has(agentId)) known.set(agentId, findNames({ config, stateDir, env, agentId }));
    return known.get(agentId);
  };
  const rightsOf = (identity: ReadableMessage['identity'], ctx: InboxMessage['ctx']): SenderRights => {
    if (!mayCommand(config, identity, ctx)) return 'talk';
    return OWN_CHANNELS.has(identity.channel) || isOwner(config, identity, ctx) ? 'owner' : 'commands';
  };
  const read = ({ ctx: given, agentId, identity }: ReadableMessage): ReadMessage => {
    // Nearly every message, and it may be long.
    if (needsSlash && !mayHaveCommand(given)) return PLAIN;
    const ctx = finalizeInboundContext(given, mentions);
    const isAddressed =
      !isGroupMessage(ctx) ||
      ctx.WasMentioned === true ||
      hasMention(readRawBody(given), { botUsername: ctx.BotUsername, ...mentions });
    const rights = rightsOf(identity, ctx);
    return readMessage({ ctx }, { triggers, rights, names: namesOf(agentId), isAddressed });
  };
  const stripInside: MessageReader['stripInside'] = (message, text) => {
    if (!hasSlash(text) || read(message).words.is !== 'inside') return text;
    const { BotUsername: botUsername } = message.ctx;
    return takeInside(text, { isModel: () => false, ...namesOf(message.agentId), botUsername }).rest;
  };
  return Object.assign(read, {
    stripInside,
    readAfterReset: (message: ReadableMessage, text: string) =>
      readAfterReset(message, text, {
        names: namesOf(message.agentId),
        rights: rightsOf(message.identity, message.ctx),
      }),
  });
}

function mayHaveCommand({
  Body,
  RawBody,
  CommandBody,
  BodyForCommands,
  BodyForAgent,
  Transcript,
}: InboxMessage['ctx']) {
  return [Body, RawBody, CommandBody, BodyForCommands, BodyForAgent, Transcript].some(
    (text) => typeof text === 'string' && hasSlash(text),
  );
}

/** Undefined for an agent that is not there any more: its turn says so. */
function findNames(params: Parameters<typeof resolveAgentSettings>[0]): MessageRules['names'] {
  try {
    const models = indexModels(resolveAgentSettings(params));
    return {
      isModel: (name) => isKnownModel(name, models),
      isAlias: (word) => models.aliasIndex.byAlias.has(word.toLowerCase()),
    };
  } catch {
    return undefined;
  }
}

import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { resolveAgentSettings } from '../config/agents.ts';
import { CONFIG_FILE_NAME } from '../config/load-config.ts';
import { indexModels, modelNotFound, resolveModel } from '../config/models.ts';
import type { TurnWish } from '../inbox/contract.ts';
import type { DeliveryTarget } from '../outbox/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { BotParts } from './bot-parts.ts';
import type { WishRequest } from './contract.ts';
import { findEntry } from './find-entry.ts';

/** What a person wants of a turn, checked: a model that there is, a place that can be delivered to. Undefined for nothing. */
export async function readWish(
  parts: BotParts,
  request: WishRequest,
  session: SessionRef,
): Promise<TurnWish | undefined> {
  const { options, state } = parts;
  // Read also to learn of a store that cannot be read before anything is kept.
  const entry = await findEntry(state, options.config, session);
  const { model, thinking: thinkingLevel, verbose: verboseLevel, timeoutMs, queueMode, deliver } = request;
  const wish: TurnWish = {
    ...(model !== undefined && { model: await checkModel(parts, session, model) }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
    ...(verboseLevel !== undefined && { verboseLevel }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(queueMode !== undefined && { queueMode }),
    ...(deliver !== undefined && {
      deliverTo: findTarget(parts.channels.open, deliver, entry?.deliveryContext),
    }),
  };
  return Object.keys(wish).length === 0 ? undefined : wish;
}

/** `provider/model` of a name, or of the agent's own model. Throws MODEL_NOT_FOUND where no runner has it. */
export async function checkModel(
  { options, tools }: BotParts,
  { agentId }: SessionRef,
  asked?: string,
): Promise<string> {
  const { config, stateDir, env } = options;
  const agent = resolveAgentSettings({ config, agentId, stateDir, env });
  const models = indexModels(agent);
  const name = asked ?? `${models.defaultProvider}/${models.defaultModel}`;
  const { provider, model } = resolveModel(name, models);
  const runner = await tools.findRunner(provider, agent.runner);
  if (runner?.describeModel(provider, model) === undefined)
    throw modelNotFound(name, models, join(stateDir, CONFIG_FILE_NAME));
  return `${provider}/${model}`;
}

function findTarget(
  channels: BotParts['channels']['open'],
  wanted: NonNullable<WishRequest['deliver']>,
  last: { channel?: string; to?: string; accountId?: string; threadId?: string | number } | undefined,
): DeliveryTarget | undefined {
  const isLast = wanted.channel === undefined || wanted.channel === 'last';
  const name = isLast ? last?.channel : wanted.channel;
  const isSame = name !== undefined && name === last?.channel;
  const accountId = wanted.accountId ?? (isSame ? last.accountId : undefined);
  const to = wanted.to ?? (isSame ? last.to : undefined);
  const channel = channels.find(
    (one) => one.name === name && (accountId === undefined || one.accountId === accountId),
  );
  if (wanted.isOptional === true && (channel === undefined || to === undefined)) return undefined;
  if (channel === undefined) {
    const names = channels.map((one) => one.name);
    const open = names.length === 0 ? 'No channel is open in this process' : `Open are: ${names.join(', ')}`;
    throw new OpenBotError(
      'USAGE',
      name === undefined
        ? 'The session has no channel to deliver to'
        : `There is no channel ${name} to deliver to`,
      { hint: `${open}. Leave --deliver out to print the reply only.` },
    );
  }
  if (to === undefined) {
    throw new OpenBotError('USAGE', `The reply has no recipient on ${channel.name}`, {
      hint: 'Name one with --reply-to <recipient>.',
    });
  }
  const threadId = isSame && to === last.to ? last.threadId : undefined;
  return { channel: channel.name, accountId: channel.accountId, to, threadId };
}

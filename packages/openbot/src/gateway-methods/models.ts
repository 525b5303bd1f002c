import { normalizeAgentId } from '@openbot/sessions';
import type { ChatCommand } from '../chat-commands/contract.ts';
import { CHAT_COMMANDS } from '../chat-commands/table.ts';
import { filledText, flag, maybe, text } from '../gateway-protocol/param-shapes.ts';
import { type ListedModel, listModels } from '../model-catalog/list-models.ts';
import { findSetting } from '../session-settings/table.ts';
import { THINKING } from './model-defaults.ts';
import { gatewayMethod } from './services.ts';
import { assertAgent, isBound, visibleAgents } from './sessions/session-ref.ts';

const list = gatewayMethod({
  name: 'models.list',
  scope: 'operator.read',
  params: { view: maybe(text), agentId: maybe(filledText), includeDetails: maybe(flag) },
  handle: async ({ view, agentId }, call) => {
    const { services } = call;
    const asked = agentId === undefined ? undefined : normalizeAgentId(agentId);
    if (asked !== undefined) assertAgent(call, asked);
    const models = await listModels(services, {
      // Those that runners know by name may be scripts that another agent has.
      all: view === 'all' && !isBound(call.caller),
      agentIds: asked === undefined ? visibleAgents(call) : [asked],
      cooldowns: await services.state.cooldowns.read(),
      now: services.now(),
    });
    return { models: models.map(describeModel) };
  },
});

function describeModel(model: ListedModel) {
  const { provider, aliases, isDefault, agents, fallbackOf, isKnown, credential, contextWindow } = model;
  const isConfigured = agents.length + fallbackOf.length + aliases.length > 0;
  return {
    id: model.model,
    name: aliases[0] ?? model.model,
    provider,
    contextWindow,
    reasoning: provider !== 'script',
    available: isKnown && credential !== 'missing',
    tags: [...(isDefault ? ['default'] : []), ...(isConfigured || isDefault ? ['configured'] : [])],
    thinkingLevels: THINKING.thinkingLevels,
    ...(model.cooldown !== undefined && { cooldown: model.cooldown }),
  };
}

const commands = gatewayMethod({
  name: 'commands.list',
  scope: 'operator.read',
  params: {
    agentId: maybe(filledText),
    scope: maybe(text),
    provider: maybe(text),
    includeArgs: maybe(flag),
  },
  handle: ({ agentId, includeArgs = true }, call) => {
    if (agentId !== undefined) assertAgent(call, normalizeAgentId(agentId));
    return { commands: CHAT_COMMANDS.map((command) => describeCommand(command, includeArgs)) };
  },
});

function describeCommand(command: ChatCommand, includeArgs: boolean) {
  const { name, aliases = [], summary, argument } = command;
  return {
    name,
    nativeName: name,
    textAliases: [name, ...aliases].map((word) => `/${word}`),
    description: `${summary}.`,
    category: categoryOf(command),
    source: 'native',
    scope: 'both',
    acceptsArgs: argument !== undefined,
    ...(includeArgs && argument !== undefined && { args: describeArgs(command, argument) }),
  };
}

/** `[model] [message]` are two, `[on|off]` is one of two words; of a setting what can follow its value is left out. */
function describeArgs({ name, summary }: ChatCommand, argument: string) {
  const setting = findSetting(name);
  const [value = ''] = setting?.values.split(' ') ?? [];
  const all = setting ? [`${value}|${setting.unsetBy[0]}`] : argument.split(/[[\] ]+/).filter(Boolean);
  return all.map((one) => {
    const words = one.split('|');
    // `name` and `text` stand for what a person chooses.
    const isChoice = words.length > (setting ? 2 : 1);
    return {
      name: words.length === 1 ? one : 'value',
      description: words.length === 1 ? one : summary,
      type: 'string',
      required: false,
      ...(isChoice && { choices: words.map((word) => ({ value: word, label: word })) }),
    };
  });
}

function categoryOf({ name, when }: ChatCommand): string {
  if (findSetting(name) !== undefined) return 'options';
  return when === 'at once' ? 'status' : 'session';
}

export const MODEL_METHODS = [list, commands];

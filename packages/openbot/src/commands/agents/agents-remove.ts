import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { formatQuantity, oneLine, printable, quoteForShell } from '@openbot/sessions/terminal-text';
import { type ListedAgent, listAgents } from '../../agent-roster/list-agents.ts';
import { type PlannedRemoval, planRemoval, readAgentId } from '../../agent-roster/plan-agent-changes.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { editConfigFile } from '../../config-editing/edit-config-file.ts';
import { canAsk, choose } from '../ask-person.ts';
import { confirm } from '../confirm.ts';
import { refuseForeign } from '../refuse-foreign.ts';
import { describeMatch } from './agents-list.ts';
import type { AGENTS_REMOVE_FLAGS } from './flags.ts';

type RemoveInput = CommandInput<typeof AGENTS_REMOVE_FLAGS, readonly [{ readonly name: 'id' }]>;

/** Removes an agent from the configuration. Its sessions and its files stay. */
export async function agentsRemove(input: RemoveInput): Promise<void> {
  const { flags, words, env, terminal } = input;
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  if (words[0] === undefined)
    throw new OpenBotError('USAGE', 'No id given', { hint: 'See: openbot agents list' });
  const id = readAgentId(words[0]);
  const loaded = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  refuseForeign(loaded);
  const place = { config: loaded.config, stateDir, env };
  const asks = canAsk(input) && !flags.yes && !flags.json;
  const agents = await listAgents(place);
  const agent = agents.find((one) => one.id === id);
  const successor = flags.newDefault ?? (asks ? await askSuccessor(input, agents, agent) : undefined);
  const planned = planRemoval(place, id, successor);
  const { bindings, settings, workspace, defaultId } = planned;
  const what = [
    `agent ${id}`,
    ...(bindings.length === 0 ? [] : [formatQuantity(bindings.length, 'binding')]),
  ].join(' and ');
  for (const { match } of bindings) if (asks) terminal.say(`  binding: ${describeMatch(match)}\n`);
  await confirm(input, `Remove ${what} from ${printable(loaded.path)}, and keep its sessions and files`);
  await editConfigFile(loaded.path, planned.changes, { env });
  const { sessionsPath, sessions } = agent!;
  if (flags.json) {
    const { path } = loaded;
    return writeJson(terminal, {
      path,
      id,
      settings,
      bindings,
      sessionsPath,
      sessions,
      workspace,
      defaultId,
    });
  }
  terminal.say(`${terminal.palette.green('Removed')} ${what} from ${printable(loaded.path)}\n`);
  terminal.say(describeRest(id, agent!, planned));
}

async function askSuccessor(
  { terminal }: RemoveInput,
  agents: readonly ListedAgent[],
  removed: ListedAgent | undefined,
): Promise<string | undefined> {
  const others = agents.filter((one) => one !== removed);
  if (!removed?.isDefault || others.length === 0) return undefined;
  const choices = others.map(({ id, name, model }) => ({
    value: id,
    name: id,
    about: [name, model].filter(Boolean).join(', '),
  }));
  return choose(
    terminal,
    `${removed.id} is the default agent. Which one answers in its place?`,
    choices,
    'agent',
  );
}

function describeRest(id: string, { sessions, sessionsPath }: ListedAgent, planned: PlannedRemoval): string {
  const { bindings, settings, workspace, defaultId } = planned;
  const { name, model } = settings;
  const again = [
    `openbot agents add ${id} --workspace ${quoteForShell(workspace)}`,
    ...(typeof name === 'string' ? [`--name ${quoteForShell(name)}`] : []),
    ...(typeof model === 'string' ? [`--model ${quoteForShell(model)}`] : []),
  ];
  const kept = sessions === undefined ? 'its sessions' : formatQuantity(sessions, 'session');
  return [
    `Kept: ${kept} in ${sessionsPath}, its files in ${workspace}`,
    `The default agent is ${defaultId}.`,
    `To bring it back: ${again.join(' ')}`,
    ...bindings.map((binding) => `  and in bindings: ${oneLine(JSON.stringify(binding))}`),
    '',
  ]
    .map(printable)
    .join('\n');
}

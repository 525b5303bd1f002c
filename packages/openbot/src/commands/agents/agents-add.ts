import { join } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { resolveUserPath } from '@openbot/sessions/layout';
import { formatQuantity, oneLine, printable } from '@openbot/sessions/terminal-text';
import { listAgents } from '../../agent-roster/list-agents.ts';
import { planAddition, readAgentId } from '../../agent-roster/plan-agent-changes.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { indexModels, modelNotFound, resolveModel } from '../../config/models.ts';
import { editConfigFile } from '../../config-editing/edit-config-file.ts';
import { fillWorkspace } from '../../first-setup/write-setup.ts';
import { loadRunner } from '../../runners/all.ts';
import { refuseForeign } from '../refuse-foreign.ts';
import type { AGENTS_ADD_FLAGS } from './flags.ts';

type AddInput = CommandInput<typeof AGENTS_ADD_FLAGS, readonly [{ readonly name: 'id' }]>;

/** Adds an agent to the configuration, and makes its workspace. */
export async function agentsAdd({ flags, words, env, terminal }: AddInput): Promise<void> {
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  if (words[0] === undefined) {
    throw new OpenBotError('USAGE', 'No id given', { hint: 'For example: openbot agents add ops' });
  }
  const id = readAgentId(words[0]);
  const loaded = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  refuseForeign(loaded);
  const { config, path } = loaded;
  const name = flags.name === undefined ? undefined : oneLine(flags.name.trim()) || undefined;
  const changes = planAddition(
    { config, stateDir, env },
    {
      id,
      name,
      workspace: flags.workspace === undefined ? undefined : resolveUserPath(flags.workspace, env),
      model: flags.model,
      isDefault: flags.default,
    },
  );
  if (flags.model !== undefined) await assertModel(flags.model, config, { stateDir, env });
  const { notices } = await editConfigFile(path, changes, { env });
  const place = {
    config: (await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true })).config,
    stateDir,
    env,
  };
  const agent = (await listAgents(place)).find((one) => one.id === id)!;
  const files = await fillWorkspace(agent.workspace, name);
  if (flags.json) return writeJson(terminal, { path, agent, files });
  const { green } = terminal.palette;
  terminal.say(
    `${green('Added')} agent ${id} to ${printable(path)}: ${printable(agent.model)}, ${printable(agent.workspace)}\n`,
  );
  if ((agent.sessions ?? 0) > 0) {
    terminal.say(`It has ${formatQuantity(agent.sessions!, 'session')} from before.\n`);
  }
  terminal.say(`To talk to it: openbot agent --agent ${id} -m "hello"\n`);
  for (const notice of notices) terminal.warn(`${printable(notice)}\n`);
}

async function assertModel(
  name: string,
  config: BotConfig,
  place: Pick<Parameters<typeof loadRunner>[1], 'stateDir' | 'env'>,
): Promise<void> {
  const index = indexModels(config.agents?.defaults ?? {});
  const { provider, model } = resolveModel(name, index);
  const runner = await loadRunner(provider, { ...place, config }, config.agents?.defaults?.runner);
  if (runner?.describeModel(provider, model) === undefined) {
    throw modelNotFound(name, index, join(place.stateDir, 'openbot.json'));
  }
}

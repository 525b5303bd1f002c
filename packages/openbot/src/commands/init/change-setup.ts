import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, longFlag } from '@openbot/sessions/command-line';
import { writeFileAtomic } from '@openbot/sessions/disk';
import { printable } from '@openbot/sessions/terminal-text';
import { listAgents } from '../../agent-roster/list-agents.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { type ConfigChange, editConfigFile } from '../../config-editing/edit-config-file.ts';
import { composeProvider, keyFileOf } from '../../first-setup/compose-setup.ts';
import { askLine, choose } from '../ask-person.ts';
import { askModel } from './choose-setup.ts';
import type { INIT_FLAGS } from './flags.ts';
import { sendFirstMessage, testSetup } from './try-setup.ts';

type Input = CommandInput<typeof INIT_FLAGS, readonly [{ readonly name: 'path' }]>;

/** Where there is a configuration: shows it, and offers to change one thing. Nothing is made anew. */
export async function changeSetup(input: Input, stateDir: string, asks: boolean): Promise<void> {
  const { env, terminal } = input;
  const { config, path } = await loadBotConfig(stateDir, env);
  const agents = await listAgents({ config, stateDir, env });
  const [first] = agents;
  refuseChanges(input, path);
  terminal.say(
    [
      `${path} exists.`,
      ...agents.map(
        ({ id, name, model, workspace }) =>
          `  agent ${printable(name === undefined ? id : `${id} (${name})`)}: ${printable(model)}, ${printable(workspace)}`,
      ),
      '',
    ].join('\n'),
  );
  if (!asks) {
    terminal.say(`${HOW}\n`);
    return;
  }
  const what = await choose(terminal, 'What should change?', [
    { value: 'nothing', name: 'Nothing' },
    { value: 'model', name: 'The model and its key', about: first?.model },
    { value: 'name', name: 'The name of the agent', about: first?.name },
    { value: 'workspace', name: 'The folder of the agent', about: first?.workspace },
    { value: 'message', name: 'Nothing, but send a message' },
  ] as const);
  if (what === 'nothing') return;
  if (what === 'message') return sendFirstMessage(input, { asks: true, isTested: true });
  const changes =
    what === 'model'
      ? await askNewModel(input, stateDir, typeof config.agents?.defaults?.model === 'object')
      : await askNewText(
          what,
          config.agents?.list?.findIndex(({ id }) => id === first?.id),
          first,
        );
  const { notices } = await editConfigFile(path, changes, { env });
  terminal.say(`${terminal.palette.green('Changed')} ${path}\n`);
  for (const notice of notices) terminal.warn(`${printable(notice)}\n`);
}

const HOW = `To change it: openbot config set agents.defaults.model <provider/model>, openbot agents add <id>, or an editor.
To test the model: openbot models test`;

async function askNewModel(input: Input, stateDir: string, hasFallbacks: boolean): Promise<ConfigChange[]> {
  const chosen = await askModel(input, stateDir);
  const { setup } = input.flags.noTest
    ? { setup: chosen }
    : await testSetup(input, chosen, { stateDir, asks: true });
  const { provider, model, key } = setup;
  if (key.kind === 'typed') await writeFileAtomic(join(stateDir, keyFileOf(provider)), `${key.value}\n`);
  const settings = composeProvider(setup);
  const at = ['agents', 'defaults', 'model', ...(hasFallbacks ? ['primary'] : [])];
  return [
    // One by one: what else is set for the provider stays.
    ...Object.entries(settings ?? {}).map(([name, value]) => ({
      at: ['models', 'providers', provider, name],
      value,
    })),
    { at, value: `${provider}/${model}` },
  ];
}

async function askNewText(
  what: 'name' | 'workspace',
  index: number | undefined,
  agent: { readonly id: string; readonly name?: string; readonly workspace: string } | undefined,
): Promise<ConfigChange[]> {
  const value = await askLine(what === 'name' ? 'Name' : 'Folder', agent?.[what]);
  if (index !== undefined && index >= 0) return [{ at: ['agents', 'list', index, what], value }];
  return what === 'workspace'
    ? [{ at: ['agents', 'defaults', 'workspace'], value }]
    : [{ at: ['agents', 'list'], value: [{ id: agent?.id ?? 'main', name: value, default: true }] }];
}

/** A flag would be lost, or overwrite what a person wrote. */
function refuseChanges({ flags }: Input, path: string): void {
  const own = ['provider', 'model', 'keyEnv', 'keyFile', 'baseUrl', 'name', 'workspace'] as const;
  const stray = own.find((key) => flags[key] !== undefined);
  if (stray === undefined) return;
  throw new OpenBotError('CONFIG_EXISTS', `${path} exists, so ${longFlag(stray)} was not taken`, {
    hint: HOW,
  });
}

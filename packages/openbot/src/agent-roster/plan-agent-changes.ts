/** Changes of `openbot.json` that add or remove an agent. */
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import {
  listAgentIds,
  listConfigured,
  resolveAgentSettings,
  resolveDefaultAgentId,
} from '../config/agents.ts';
import type { Binding } from '../config/bot-config.ts';
import type { ConfigChange } from '../config-editing/edit-config-file.ts';
import { isOf, type RosterPlace } from './list-agents.ts';

export interface NewAgent {
  readonly id: string;
  readonly name?: string;
  /** Absolute. */
  readonly workspace?: string;
  readonly model?: string;
  /** It answers where none is named. */
  readonly isDefault?: boolean;
}

/** Throws USAGE for an id that is none, AGENT_EXISTS. */
export function planAddition(place: RosterPlace, agent: NewAgent): readonly ConfigChange[] {
  const { config, stateDir } = place;
  const id = readAgentId(agent.id);
  const configured = listConfigured(config);
  // Without a list the agents are main and those that have a folder; a list with the new one alone would hide them.
  const unlisted = configured.length > 0 ? [] : listAgentIds(config, stateDir).filter((one) => one !== id);
  if (
    configured.some((one) => one.id === id) ||
    (configured.length === 0 && id === resolveDefaultAgentId(config))
  ) {
    throw new OpenBotError('AGENT_EXISTS', `There is an agent ${id} already`, {
      hint: 'Choose another id; openbot agents list shows them',
    });
  }
  const { name, model } = agent;
  // The folder of the default agent has a plain name, which is that of the present one.
  const workspace = agent.workspace ?? (agent.isDefault ? join(stateDir, `workspace-${id}`) : undefined);
  const settings = {
    ...(name === undefined ? {} : { name }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(model === undefined ? {} : { model }),
  };
  if (config.agents?.entries !== undefined && config.agents.list === undefined) {
    if (agent.isDefault) throw noMark();
    return [{ at: ['agents', 'entries', id], value: settings }];
  }
  const added = { id, ...settings, ...(agent.isDefault ? { default: true } : {}) };
  if (configured.length === 0) {
    const standard = resolveDefaultAgentId(config);
    const others = unlisted.map((other) => ({
      id: other,
      ...(other !== standard
        ? {}
        : agent.isDefault
          ? { workspace: workspaceOf(place, other) }
          : { default: true }),
    }));
    return [{ at: ['agents', 'list'], value: [...others, added] }];
  }
  return [
    ...(agent.isDefault ? planWithoutDefault(place) : []),
    { at: ['agents', 'list', configured.length], value: added },
  ];
}

export interface PlannedRemoval {
  readonly changes: readonly ConfigChange[];
  readonly bindings: readonly Binding[];
  /** As the configuration has it, without its id. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly workspace: string;
  /** The one that answers where none is named, afterwards. */
  readonly defaultId: string;
}

/** @param newDefault needed for the default agent. Throws AGENT_NOT_FOUND, USAGE. */
export function planRemoval(place: RosterPlace, given: string, newDefault?: string): PlannedRemoval {
  const { config, stateDir } = place;
  const id = readAgentId(given);
  const configured = listConfigured(config);
  const index = configured.findIndex((one) => one.id === id);
  const own = configured[index];
  if (own === undefined)
    throw notFound(
      id,
      configured.map((one) => one.id),
      stateDir,
    );
  const others = configured.filter((one) => one !== own).map((one) => one.id);
  if (others.length === 0) {
    throw new OpenBotError('USAGE', `${id} is the only agent`, {
      hint: 'Add another one first: openbot agents add <id> --default',
    });
  }
  const standard = resolveDefaultAgentId(config);
  const isDefault = id === standard;
  const successor = newDefault === undefined ? undefined : readAgentId(newDefault);
  if (isDefault && successor === undefined) {
    throw new OpenBotError('USAGE', `${id} is the default agent`, {
      hint: `Say which one answers in its place: --new-default <id>. There are: ${others.join(', ')}`,
      details: { agentIds: others },
    });
  }
  if (successor !== undefined && !others.includes(successor)) throw notFound(successor, others, stateDir);
  const isByName = config.agents?.list === undefined;
  if (isByName && successor !== undefined && successor !== others[0]) throw noMark();
  const bound = (config.bindings ?? []).flatMap((binding, at) => (isOf(binding, id) ? [at] : []));
  const { id: _id, default: _default, ...settings } = own;
  return {
    changes: [
      ...(successor === undefined || isByName || successor === standard ? [] : planDefault(place, successor)),
      // From the back, so that the places of the others hold.
      ...bound.toReversed().map((at) => ({ at: ['bindings', at] })),
      { at: isByName ? ['agents', 'entries', entryNameOf(place, id)] : ['agents', 'list', index] },
    ],
    bindings: bound.map((at) => config.bindings![at]!),
    settings,
    workspace: workspaceOf(place, id),
    defaultId: successor ?? standard,
  };
}

/** The new default keeps its folder, and so does the one before. */
function planDefault(place: RosterPlace, id: string): ConfigChange[] {
  const index = listConfigured(place.config).findIndex((one) => one.id === id);
  return [
    ...planWithoutDefault(place),
    { at: ['agents', 'list', index, 'workspace'], value: workspaceOf(place, id) },
    { at: ['agents', 'list', index, 'default'], value: true },
  ];
}

function planWithoutDefault(place: RosterPlace): ConfigChange[] {
  const standard = resolveDefaultAgentId(place.config);
  return listConfigured(place.config).flatMap((agent, at): ConfigChange[] => [
    ...(agent.id === standard && agent.workspace === undefined
      ? [{ at: ['agents', 'list', at, 'workspace'], value: workspaceOf(place, standard) }]
      : []),
    ...(agent.default ? [{ at: ['agents', 'list', at, 'default'] }] : []),
  ]);
}

function workspaceOf({ config, stateDir, env }: RosterPlace, agentId: string): string {
  return resolveAgentSettings({ config, stateDir, env, agentId }).workspaceDir;
}

/** It may be written with capital letters. */
function entryNameOf({ config }: RosterPlace, id: string): string {
  const names = Object.keys(config.agents?.entries ?? {});
  return names.find((name) => name.toLowerCase() === id) ?? id;
}

/** Throws USAGE for what is no plain name: it becomes one of a folder, and part of keys. */
export function readAgentId(id: string): string {
  if (isValidAgentId(id)) return id.trim().toLowerCase();
  throw new OpenBotError('USAGE', `'${id}' is not an id of an agent`, {
    hint: 'Letters, digits, - and _, at most 64, and the first is a letter or a digit. For a name with blanks: --name',
  });
}

function noMark(): OpenBotError {
  return new OpenBotError('USAGE', 'In agents.entries the first agent is the default one', {
    hint: 'Change their order, or use agents.list, where default: true marks it',
  });
}

function notFound(id: string, known: readonly string[], stateDir: string): OpenBotError {
  return new OpenBotError('AGENT_NOT_FOUND', `The configuration lists no agent ${id}`, {
    hint:
      known.length === 0
        ? `It lists none: agents are main and the folders in ${join(stateDir, 'agents')}`
        : `Listed: ${known.join(', ')}`,
    details: { agentIds: known },
  });
}

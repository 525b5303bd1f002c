import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { OpenBotError, resolveAgentId, resolveStateDir } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { AGENT_ID_ENV_NAMES, type Environment, resolveUserPath } from '@openbot/sessions/layout';
import type { SessionChanges, SessionFolder, SessionKeeper } from '../../kept-sessions/contract.ts';
import { type FoundSession, findSession } from '../../kept-sessions/find-session.ts';
import { openSessionFolder } from '../../kept-sessions/open-session-folder.ts';
import { assertKnown } from '../known-agent.ts';
import { openGatewayFor } from '../through-gateway.ts';
import type { PLACE_FLAGS } from './flags.ts';

export type PlaceInput = CommandInput<typeof PLACE_FLAGS>;

/** The folder and the stores that a command line means. */
export interface Place {
  readonly folder: SessionFolder;
  readonly keepers: readonly SessionKeeper[];
}

/** @param isOneDefault whether the default agent is meant where none is named, as by OpenClaw, and not all of them */
export async function openPlace(
  input: PlaceInput & { readonly flags: { readonly allAgents?: boolean } },
  { isOneDefault = false }: { readonly isOneDefault?: boolean } = {},
): Promise<Place> {
  const { flags, env } = input;
  const { agent, allAgents, store } = flags;
  if (allAgents && agent !== undefined) throw contradict('--agent', '--all-agents');
  if (allAgents && store !== undefined) throw contradict('--store', '--all-agents');
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  if (flags.stateDir !== undefined && statSync(stateDir, { throwIfNoEntry: false }) === undefined) {
    throw new OpenBotError('USAGE', `The state folder ${stateDir} does not exist`, {
      hint: 'Check the path after --state-dir; it is the folder that holds agents/, such as ~/.openbot',
    });
  }
  const folder = await openSessionFolder(stateDir, { env, cwd: input.cwd });
  const named = allAgents ? undefined : readAgentId(agent, env);
  if (named !== undefined) assertKnown([folder], named);
  if (store !== undefined)
    return { folder, keepers: [await folder.openAt(resolveUserPath(store, env), named)] };
  if (named !== undefined) return { folder, keepers: [folder.open(named)] };
  if (!allAgents && isOneDefault) return { folder, keepers: [folder.open(requireDefault(folder))] };
  return { folder, keepers: openEach(folder) };
}

/** Agents may share one store. */
function openEach(folder: SessionFolder): SessionKeeper[] {
  const keepers = folder.agentIds.map((agentId) => folder.open(agentId));
  return keepers.filter(({ path }, at) => keepers.findIndex((other) => other.path === path) === at);
}

/** @param what the word on the command line */
export async function openSession(
  input: PlaceInput,
  what: string | undefined,
): Promise<FoundSession & Place> {
  if (what === undefined || what.trim() === '') {
    throw new OpenBotError('USAGE', 'Which session?', {
      hint: "Name it by its key, its id, the beginning of its id, or its label; 'openbot sessions' lists them",
    });
  }
  const place = await openPlace(input);
  return { ...place, ...findSession(place.keepers, what, place.folder) };
}

/** What changes the sessions of a keeper: the gateway that runs, else this process. Another store is not the gateway's. */
export async function openChanges(
  {
    flags,
    env,
  }: Pick<PlaceInput, 'env'> & {
    readonly flags: PlaceInput['flags'] & { readonly local?: boolean };
  },
  keeper: SessionKeeper,
): Promise<SessionChanges> {
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const gateway = flags.store === undefined ? await openGatewayFor(stateDir, flags) : undefined;
  if (gateway === undefined) return keeper.openChanges();
  const { changesThrough } = await import('../../gateway-client/changes-through.ts');
  return changesThrough(gateway, keeper.agentId);
}

function readAgentId(flag: string | undefined, env: Environment): string | undefined {
  const isNamed = flag !== undefined || AGENT_ID_ENV_NAMES.some((name) => env[name]?.trim());
  return isNamed ? resolveAgentId({ flag, env }) : undefined;
}

function requireDefault({ defaultAgentId, agentIds, configPath }: SessionFolder): string {
  if (defaultAgentId !== undefined) return defaultAgentId;
  throw new OpenBotError('USAGE', `${configPath} names several agents, and none is the default`, {
    hint: `Choose one with --agent <id> (${agentIds.join(', ')}), or list all with --all-agents`,
  });
}

function contradict(one: string, other: string): OpenBotError {
  return new OpenBotError('USAGE', `${one} and ${other} contradict each other`, {
    hint: 'Leave one of them out',
  });
}

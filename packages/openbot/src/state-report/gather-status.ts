import { existsSync } from 'node:fs';
import type { StoredSession } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { findConfigFile, loadBotConfig } from '../config/load-config.ts';
import { openFileCooldowns } from '../cooldowns/files/file-cooldowns.ts';
import { lookAtGateway } from '../gateway-client/look-at-gateway.ts';
import { lookIntoLetters, lookIntoMessages } from '../kept-messages/look-into-messages.ts';
import type { SessionFolder, SessionKeeper } from '../kept-sessions/contract.ts';
import { openSessionFolder } from '../kept-sessions/open-session-folder.ts';
import { withRecordedWindow } from '../kept-sessions/recorded-window.ts';
import { listModels } from '../model-catalog/list-models.ts';
import type { AgentStatus, DroppedThinking, RecentSession, StatusReport } from './contract.ts';
import { describeChannels, describeIndex, findRuns } from './parts.ts';

export interface StatusQuestion {
  readonly stateDir: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly now: number;
  /** How many sessions and dead letters are listed at most. */
  readonly most: number;
}

interface Kept extends StoredSession {
  readonly keeper: SessionKeeper;
}

/** Looks at everything and changes nothing. What cannot be read is among the faults; the rest is still reported. */
export async function gatherStatus(question: StatusQuestion): Promise<StatusReport> {
  const { stateDir, env, cwd, most, now } = question;
  const faults: { part: string; code: string; message: string }[] = [];
  const attempt = async <T>(part: string, read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      const { code = 'UNEXPECTED', message: all } = error as { code?: string; message: string };
      // A configuration has a line for each of its faults. Others that need it, or the same database, fail alike.
      for (const message of all.split('\n'))
        if (!faults.some((known) => known.message === message))
          faults.push({ part, code: String(code), message });
      return undefined;
    }
  };
  const loaded =
    (await attempt('configuration', () => loadBotConfig(stateDir, env))) ??
    // A secret that is missing is said, and the agents and their models are still known.
    (await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true }).catch(() => undefined));
  const folder = await attempt('sessions', () => openSessionFolder(stateDir, { env, cwd }));
  const keepers = folder === undefined ? [] : openEach(folder);
  const kept: Kept[] = [];
  const agents: AgentStatus[] = [];
  for (const keeper of keepers) {
    const listed = await attempt(`sessions of ${keeper.agentId}`, () => keeper.list());
    const all = (listed ?? []).map((session) => ({ ...session, keeper }));
    kept.push(...all);
    agents.push({
      id: keeper.agentId,
      isDefault: keeper.agentId === folder!.defaultAgentId,
      store: keeper.path,
      keptIn: keeper.keptIn,
      sessions: listed?.length,
      lastUsedAt: all.reduce<number | undefined>(
        (last, { entry }) => Math.max(last ?? 0, entry.updatedAt ?? 0) || undefined,
        undefined,
      ),
    });
  }
  const recent = kept.toSorted((a, b) => (b.entry.updatedAt ?? 0) - (a.entry.updatedAt ?? 0)).slice(0, most);
  const cooldowns = await attempt('cooldowns', () => openFileCooldowns(stateDir).read());
  const config = loaded?.config;
  const models =
    config &&
    (await attempt('models', () =>
      listModels({ config, stateDir, env }, { cooldowns: cooldowns ?? new Map(), now }),
    ));
  const messages = await attempt('messages', () => lookIntoMessages(stateDir));
  const letters = await attempt('messages', () => lookIntoLetters(stateDir, { limit: most }));
  return {
    stateDir,
    exists: existsSync(stateDir),
    configPath: folder?.configPath ?? (await attempt('configuration', () => findPath(stateDir))),
    agents,
    sessions: { count: kept.length, recent: recent.map((session) => describeSession(folder!, session, now)) },
    runs: findRuns(stateDir),
    messages: messages && withoutPath(messages),
    deadLetters: letters ?? [],
    channels: config === undefined ? [] : describeChannels(config),
    gateway: await lookAtGateway(stateDir),
    models: (models ?? [])
      .filter(({ agents: asking, fallbackOf }) => asking.length + fallbackOf.length > 0)
      .map(({ name, agents: asking, isKnown, credential = 'unknown', credentialHint }) => ({
        name,
        agents: asking,
        isKnown,
        credential,
        credentialHint,
      })),
    index: await attempt('index', () => describeIndex(stateDir)),
    droppedThinking: sumDroppedThinking(kept),
    faults,
  };
}

function findPath(stateDir: string): string | undefined {
  const { path, exists, openclawPath } = findConfigFile(stateDir);
  return exists ? path : openclawPath;
}

/** Agents may share one store. */
function openEach(folder: SessionFolder): SessionKeeper[] {
  const keepers = folder.agentIds.map((agentId) => folder.open(agentId));
  return keepers.filter(({ path }, at) => keepers.findIndex((other) => other.path === path) === at);
}

function sumDroppedThinking(kept: readonly Kept[]): DroppedThinking | undefined {
  const drops = kept.flatMap(({ entry }) => entry.droppedThinking ?? []);
  if (drops.length === 0) return undefined;
  return {
    blocks: drops.reduce((sum, { blocks }) => sum + blocks, 0),
    sessions: drops.length,
    at: drops.reduce((last, { at }) => Math.max(last, at), 0),
  };
}

function describeSession(folder: SessionFolder, session: Kept, now: number): RecentSession {
  const row = withRecordedWindow(session.keeper.toRow(session, folder.models, now), session);
  return session.entry.label ? { ...row, label: session.entry.label } : row;
}

function withoutPath<T extends { readonly path: string }>({ path: _path, ...rest }: T): Omit<T, 'path'> {
  return rest;
}

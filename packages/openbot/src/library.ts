/** Steps of a turn, for programs that run turns of their own. What reads the disk is loaded by the first call. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  parseAgentSessionKey,
  resolveStateDir,
  type SessionEntry,
  type SessionSkillSnapshot,
} from '@openbot/sessions';
import type { BotConfig } from './config/bot-config.ts';
import type { SystemEvent } from './inbox/contract.ts';
import type { SkillProblem } from './turn/skills/skill.ts';

interface StateOptions {
  /** That of the environment when absent: `OPENBOT_STATE_DIR`, else `~/.openbot`. */
  readonly stateDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Puts what happened since the last message of a session in front of the next one: `System: [2026-01-12 12:19:17 PST]
 * Model switched.` The events that wait in the state folder are taken from it, and no other turn gets them. The time is that of the
 * agent's zone.
 */
export async function prependSystemEvents(
  params: StateOptions & {
    readonly cfg: BotConfig;
    readonly sessionKey: string;
    /** The default agent of `cfg` where the key names none. */
    readonly agentId?: string;
    readonly isMainSession: boolean;
    readonly isNewSession: boolean;
    readonly prefixedBodyBase: string;
    /** In the place of those that wait in the state folder. */
    readonly events?: readonly SystemEvent[];
    /** What a new main session begins with, a line for each channel. */
    readonly channelSummary?: readonly string[];
  },
): Promise<string> {
  const { cfg, sessionKey, env = process.env } = params;
  const [{ prependSystemEvents: prepend }, { resolveAgentSettings, resolveDefaultAgentId }] =
    await Promise.all([import('./turn/inbound/prepend-system-events.ts'), import('./config/agents.ts')]);
  const stateDir = resolveStateDir({ flag: params.stateDir, env });
  const agentId = params.agentId ?? parseAgentSessionKey(sessionKey)?.agentId ?? resolveDefaultAgentId(cfg);
  const { userTimezone } = resolveAgentSettings({ config: cfg, agentId, stateDir, env });
  const events = params.events ?? (await takeEvents(stateDir, cfg, { agentId, sessionKey }));
  return prepend({ ...params, events, timeZone: userTimezone });
}

async function takeEvents(
  stateDir: string,
  { session }: BotConfig,
  ref: { readonly agentId: string; readonly sessionKey: string },
): Promise<readonly SystemEvent[]> {
  const { DATABASE_NAME, openBotDatabase } = await import('./database/bot-database.ts');
  if (!existsSync(join(stateDir, DATABASE_NAME))) return [];
  const [{ openSqliteInbox }, { addressOf, canonicalRef }] = await Promise.all([
    import('./inbox/sqlite/sqlite-inbox.ts'),
    import('./session-address.ts'),
  ]);
  const database = await openBotDatabase(stateDir);
  try {
    const inbox = openSqliteInbox(database);
    const events = await inbox.takeEvents(addressOf(canonicalRef(session, ref)), randomUUID());
    await inbox.close();
    return events;
  } finally {
    await database.close();
  }
}

/**
 * The skills of a session: those that it had, unless this is its first turn or a SKILL.md changed since. A skill that
 * cannot be read is among the problems and prevents nothing.
 */
export async function ensureSkillSnapshot<Entry extends Partial<SessionEntry> = SessionEntry>(
  params: StateOptions & {
    readonly sessionEntry?: Entry;
    readonly isFirstTurnInSession: boolean;
    readonly workspaceDir: string;
    readonly cfg: BotConfig;
    /** Names; all when absent. */
    readonly skillFilter?: readonly string[];
  },
): Promise<{
  /** The given one with the snapshot, to be stored. */
  readonly sessionEntry?: Entry;
  readonly skillsSnapshot: SessionSkillSnapshot;
  readonly systemSent: boolean;
  readonly problems: readonly SkillProblem[];
}> {
  const { sessionEntry, cfg, env = process.env, ...request } = params;
  const { ensureSkillSnapshot: ensure } = await import('./turn/skills/ensure-skill-snapshot.ts');
  const stateDir = resolveStateDir({ flag: params.stateDir, env });
  const { skillsSnapshot, problems } = await ensure({ ...request, sessionEntry, config: cfg, stateDir, env });
  const systemSent = params.isFirstTurnInSession || sessionEntry?.systemSent === true;
  return {
    ...(sessionEntry !== undefined && { sessionEntry: { ...sessionEntry, skillsSnapshot, systemSent } }),
    skillsSnapshot,
    systemSent,
    problems,
  };
}

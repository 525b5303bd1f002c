import { buildAgentMainSessionKey, type StoredEntry } from '@openbot/sessions';
import { isCronSessionKey, isGroupType, isSubagentSessionKey } from '@openbot/sessions/key';
import { resolveQueueSettings } from '@openbot/sessions/policy';
import type { BotConfig } from '../../config/bot-config.ts';
import { DEFAULT_MODEL } from '../../config/models.ts';
import { type ModelFacts, readModelFacts } from '../../kept-sessions/openclaw-list/model-facts.ts';
import { makeFileRow } from '../../kept-sessions/openclaw-list/rows.ts';
import { withRecordedWindow } from '../../kept-sessions/recorded-window.ts';
import type { SessionRef } from '../../session-address.ts';
import type { GatewayRuns } from '../runs/contract.ts';
import { transcriptOf } from '../sessions/transcript-of.ts';
import type { GatewayRow, RowExtras } from './contract.ts';
import type { LightRow } from './light-rows.ts';
import type { TranscriptEndsReader } from './transcript-ends.ts';

export interface RowMaker {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly runs: Pick<GatewayRuns, 'ofSession'>;
  readonly ends: TranscriptEndsReader;
  readonly models: ModelFacts;
  /** ms */
  readonly now: number;
}

/** What the configuration says of models, read again when one of its sections is another. */
export function followModelFacts(config: BotConfig): () => ModelFacts {
  let seen: readonly unknown[] = [];
  let facts = readModelFacts({}, DEFAULT_MODEL);
  return () => {
    const { agents, models, session } = config;
    const now = [agents, models, session];
    if (seen.length === 0 || now.some((part, at) => part !== seen[at])) {
      seen = now;
      facts = readModelFacts({ agents, models, session }, DEFAULT_MODEL);
    }
    return facts;
  };
}

/** A whole row, with the names of OpenClaw's gateway. Fields that are undefined are not sent. */
export function makeRow(
  light: LightRow,
  maker: RowMaker,
  extras: RowExtras = {},
  /** Another process runs the session: its run has no name here. */
  runsElsewhere = false,
): GatewayRow {
  const { ref, stored } = light;
  const { entry } = stored;
  const base = baseOf(light, maker);
  const runs = maker.runs.ofSession(ref);
  const isRunning = runs.length > 0 || runsElsewhere;
  const ends = extras.title || extras.lastMessage ? readEnds(light, maker) : undefined;
  return {
    ...base,
    // Rows are in events as well, which clients of some agents hear: they are told no paths.
    spawnedWorkspaceDir: undefined,
    spawnedCwd: undefined,
    ...(extras.title && { derivedTitle: base.displayName ?? ends?.firstWords ?? describeId(light) }),
    ...(extras.lastMessage && ends?.lastWords !== undefined && { lastMessagePreview: ends.lastWords }),
    status: isRunning ? 'running' : entry.status,
    startedAt: runs[0]?.startedAt ?? entry.startedAt,
    ...(!isRunning && { endedAt: entry.endedAt, runtimeMs: entry.runtimeMs }),
    hasActiveRun: isRunning,
    activeRunIds: runs.map(({ runId }) => runId),
    snapshotAt: maker.now,
  };
}

interface Base {
  readonly models: ModelFacts;
  readonly messages: BotConfig['messages'];
  readonly row: GatewayRow;
}

/** An entry that did not change has the same fields as long as the configuration says the same. */
const bases = new WeakMap<LightRow['stored']['entry'], Base>();

function baseOf(light: LightRow, maker: RowMaker): GatewayRow {
  const { entry } = light.stored;
  const { models, config } = maker;
  const known = bases.get(entry);
  const isSame = known?.models === models && known.messages === config.messages;
  if (isSame && known.row.key === light.ref.sessionKey) return known.row;
  const row = makeBase(light, maker);
  bases.set(entry, { models, messages: config.messages, row });
  return row;
}

function makeBase({ ref, stored, isPinned, isArchived }: LightRow, { models, config }: RowMaker): GatewayRow {
  const { entry } = stored;
  const {
    ageMs: _age,
    sessionFile: _file,
    acpRuntime: _acp,
    totalTokens,
    ...row
  } = withRecordedWindow(makeFileRow(stored, ref.agentId, models, 0), stored);
  const kind = kindOf(ref.sessionKey, entry.chatType);
  const { isMain, classification } = classify(ref, entry.chatType, kind, config);
  const queue = resolveQueueSettings({ cfg: config, channel: entry.lastChannel, sessionEntry: entry });
  const { lifecycleRevision, createdAt, createdVia, archivedAt, pinnedAt } = entry as {
    readonly [field: string]: unknown;
  };
  const base: GatewayRow = {
    ...row,
    key: ref.sessionKey,
    agentId: ref.agentId,
    kind,
    classification,
    isMain,
    isBackground: isCronSessionKey(ref.sessionKey) || isSubagentSessionKey(ref.sessionKey),
    lifecycleRevision: lifecycleRevision ?? entry.sessionId,
    displayName: nameOf(entry),
    channel: entry.channel ?? entry.origin?.provider ?? entry.lastChannel,
    chatType: entry.chatType,
    subject: entry.subject,
    groupChannel: entry.groupChannel,
    space: entry.space,
    origin: entry.origin,
    deliveryContext: entry.deliveryContext,
    lastChannel: entry.lastChannel,
    lastTo: entry.lastTo,
    lastAccountId: entry.lastAccountId,
    lastThreadId: entry.lastThreadId,
    totalTokens: totalTokens ?? undefined,
    estimatedCostUsd: entry.estimatedCostUsd,
    compactionCount: entry.compactionCount,
    createdAt: createdAt ?? entry.sessionStartedAt,
    createdVia,
    lastActivityAt: entry.lastActivityAt,
    lastRunId: entry.lastRunId,
    archived: isArchived,
    archivedAt,
    pinned: isPinned,
    pinnedAt,
    sendPolicy: entry.sendPolicy,
    modelOverrideSource: entry.modelOverride === undefined ? null : 'user',
    effectiveResponseUsage: entry.responseUsage === 'on' ? 'tokens' : (entry.responseUsage ?? 'off'),
    effectiveQueueMode: queue.mode,
  };
  // A row is copied for each answer: what is not sent need not be.
  return Object.fromEntries(Object.entries(base).filter(([, value]) => value !== undefined)) as GatewayRow;
}

/** OpenClaw's four kinds. */
export function kindOf(key: string, chatType: string | undefined): string {
  if (key === 'global' || key === 'unknown') return key;
  const isGroup = isGroupType(chatType) || /:(?:group|channel):/.test(key);
  return isGroup ? 'group' : 'direct';
}

function classify(
  { agentId, sessionKey }: SessionRef,
  chatType: string | undefined,
  kind: string,
  { session }: BotConfig,
) {
  const isGlobal = session?.scope === 'global' && sessionKey === 'global';
  const isMain = isGlobal || sessionKey === buildAgentMainSessionKey({ agentId, mainKey: session?.mainKey });
  const other = isCronSessionKey(sessionKey)
    ? 'cron'
    : isSubagentSessionKey(sessionKey)
      ? 'subagent'
      : 'custom';
  const usual = chatType === 'direct' && other === 'custom' ? 'direct' : other;
  return { isMain, classification: isMain ? 'main' : kind === 'direct' ? usual : kind };
}

function nameOf(entry: StoredEntry): string | undefined {
  const names = [entry.label, entry.displayName, entry.subject, entry.groupChannel, entry.origin?.label];
  return names.find((name) => typeof name === 'string' && name.trim() !== '');
}

/** `1b4e28ba (2026-11-18)` */
function describeId({ stored: { entry }, updatedAt }: LightRow): string {
  const day = updatedAt > 0 ? ` (${new Date(updatedAt).toISOString().slice(0, 10)})` : '';
  return `${entry.sessionId.slice(0, 8)}${day}`;
}

function readEnds({ ref, stored }: LightRow, { stateDir, ends }: RowMaker) {
  try {
    return ends.read(transcriptOf(stateDir, ref, stored).sessionFile);
  } catch {
    // Its id is no file name.
    return undefined;
  }
}

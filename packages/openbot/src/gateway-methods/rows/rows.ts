import type { BotConfig } from '../../config/bot-config.ts';
import { addressOf, findSession } from '../../session-address.ts';
import type { BotState } from '../../state/open-state.ts';
import type { GatewayRuns } from '../runs/contract.ts';
import type { RowOrder, RowQuestion, SessionRows } from './contract.ts';
import { byKey, type LightRow, LightRows, makeLight } from './light-rows.ts';
import { followModelFacts, makeRow, type RowMaker } from './make-row.ts';
import { TranscriptEndsReader } from './transcript-ends.ts';

export interface RowsOptions {
  readonly stateDir: string;
  /** Always the present one. */
  readonly config: BotConfig;
  readonly state: BotState;
  readonly runs: Pick<GatewayRuns, 'ofSession'>;
  /** Of the process whose runs are those of `runs`. */
  hostPid?(): number | undefined;
  now(): number;
}

/** The rows that lists, descriptions and events have. Choosing and sorting is done on light rows; the page alone is made. */
export function openRows({ stateDir, config, state, runs, hostPid, now }: RowsOptions): SessionRows {
  const lights = new LightRows({ stateDir, config, state });
  const ends = new TranscriptEndsReader();
  const modelsNow = followModelFacts(config);
  const maker = (): RowMaker => ({ stateDir, config, runs, ends, models: modelsNow(), now: now() });
  // Rows in events are without: the end of such a run is not told.
  const findRunsElsewhere = async (rows: readonly LightRow[]): Promise<ReadonlySet<LightRow>> => {
    const running = await state.runLock.running(rows.map(({ ref }) => addressOf(ref)));
    const isElsewhere = ({ ref }: LightRow) => {
      const pid = running.get(addressOf(ref));
      return pid !== undefined && pid !== hostPid?.();
    };
    return new Set(running.size === 0 ? [] : rows.filter(isElsewhere));
  };
  return {
    find: async ({ agentId, sessionKey }, extras) => {
      const sessions = { store: state.storeOf(agentId), storePath: state.storePathOf(agentId), agentId };
      const { mainKey, scope } = config.session ?? {};
      const stored = await findSession({ ...sessions, mainKey }, sessionKey);
      return stored && makeRow(makeLight(stored, agentId, { mainKey, scope }), maker(), extras);
    },
    list: async (question) => {
      const agentIds = new Set(lights.agentIds());
      const all = await lights.sorted();
      const elsewhere = new Set(question.activeOnly ? await findRunsElsewhere(all) : []);
      const wanted = choose(all, question, {
        now: now(),
        isConfigured: ({ ref }) => agentIds.has(ref.agentId),
        isActive: (row) => runs.ofSession(row.ref).length > 0 || elsewhere.has(row),
      });
      const { offset = 0, limit, extras } = question;
      const making = maker();
      const page = sortBy(wanted, question.sortBy).slice(offset, offset + limit);
      const busy = await findRunsElsewhere(page);
      return {
        rows: page.map((light) => makeRow(light, making, extras, busy.has(light))),
        total: wanted.length,
      };
    },
    forget: () => {
      lights.forget();
      ends.forget();
    },
    known: async (agentId) =>
      (await lights.sorted()).filter(({ ref }) => agentId === undefined || ref.agentId === agentId),
  };
}

function choose(
  rows: readonly LightRow[],
  question: RowQuestion,
  facts: { now: number; isConfigured(row: LightRow): boolean; isActive(row: LightRow): boolean },
): readonly LightRow[] {
  const { agentIds, agentId, label, spawnedBy, activeMinutes, archived = false } = question;
  if (question.hasBoard) return [];
  const { includeGlobal = false, includeUnknown = false, configuredAgentsOnly, activeOnly } = question;
  const search = question.search?.trim().toLowerCase();
  const since = activeMinutes === undefined ? undefined : facts.now - activeMinutes * 60_000;
  const timeOf = ({ activityAt, updatedAt }: LightRow) =>
    question.sortBy === 'activity' ? activityAt : updatedAt;
  return rows.filter((row) => {
    const { ref, stored, isArchived, searched } = row;
    if (agentIds !== undefined && !agentIds.has(ref.agentId)) return false;
    if (agentId !== undefined && ref.agentId !== agentId) return false;
    if (archived !== 'all' && isArchived !== archived) return false;
    if (ref.sessionKey === 'global' && !includeGlobal) return false;
    if (ref.sessionKey === 'unknown' && !includeUnknown) return false;
    if (label !== undefined && stored.entry.label !== label) return false;
    if (spawnedBy !== undefined && stored.entry.spawnedBy !== spawnedBy) return false;
    if (since !== undefined && timeOf(row) < since) return false;
    if (search && !searched.includes(search)) return false;
    if (configuredAgentsOnly && !facts.isConfigured(row)) return false;
    return !activeOnly || facts.isActive(row);
  });
}

/** Those that are given are in the order of `updatedAt`. */
function sortBy(rows: readonly LightRow[], order: RowOrder | undefined): readonly LightRow[] {
  if (order === undefined || order === 'updatedAt') return rows;
  const timeOf = (row: LightRow) => (order === 'activity' ? row.activityAt : row.interactionAt);
  return rows.toSorted((one, other) => timeOf(other) - timeOf(one) || byKey(one, other));
}

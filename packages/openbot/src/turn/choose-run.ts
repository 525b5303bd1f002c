import type { MsgContext, SessionSkillSnapshot } from '@openbot/sessions';
import { isSubagentSessionKey } from '@openbot/sessions/key';
import type { EntryDraft } from '@openbot/sessions/transcript';
import { isSharedSession } from '../access/shared-session.ts';
import { resolveChannelSettings } from '../config/channels.ts';
import { resolveModel } from '../config/models.ts';
import type { ModelChoice, Runner } from '../runners/contract.ts';
import {
  listCandidates,
  type ModelCandidate,
  type ModelsOfRun,
  nameOfModel,
} from './failover/list-candidates.ts';
import { isHeartbeat } from './heartbeat/heartbeat-message.ts';
import { type GroupActivation, resolveGroupActivation } from './history/group-activation.ts';
import { buildGroupIntro, describeNewActivation } from './history/group-intro.ts';
import type { TurnSession } from './init-session.ts';
import { type OfferedTools, offerTools } from './offer-tools.ts';
import { isReadDenied } from './open-policy.ts';
import type { Turn } from './open-turn.ts';
import { buildSystemPrompt } from './prompt/build-system-prompt.ts';
import { readFiles } from './prompt/facts.ts';
import { SessionPrefix } from './prompt/session-prefix.ts';
import { SILENT_REPLY_TOKEN } from './reply/tokens.ts';
import { chooseModel, limitWindow } from './session-fields/choose-model.ts';
import { chooseThinkingLevel, linesForChanges } from './session-fields/lines-for-changes.ts';

export interface ChosenRun extends OfferedTools {
  /** Of the model that is tried first. */
  readonly runner: Runner | undefined;
  readonly model: ModelChoice;
  /** That model, and those that may take its place. */
  readonly models: ModelsOfRun;
  readonly thinkingLevel: string | undefined;
  /** The transcript's lines for a model or a level that differs from the run before. */
  readonly lines: readonly EntryDraft[];
  /** For the agent: what is not as the session asks. */
  readonly notices: readonly string[];
}

/** Which model answers, and how hard it thinks. */
export async function chooseRun(turn: Turn, session: TurnSession): Promise<ChosenRun> {
  const { entry, isGroup } = session;
  const { tools, models, message, agent } = turn;
  const asked = message.wish?.model === undefined ? undefined : resolveModel(message.wish.model, models);
  const standard = { provider: models.defaultProvider, model: models.defaultModel };
  const [ofModel] = entry.modelOverride?.split('/') ?? [];
  const names = [asked?.provider, entry.providerOverride, ofModel, standard.provider];
  const runners = new Map<string, Runner | undefined>();
  for (const name of names) {
    if (name !== undefined && !runners.has(name)) runners.set(name, await tools.findRunner(name));
  }
  const { model: wanted, notice } = chooseModel({
    entry,
    asked,
    standard,
    describe: (provider, name) => runners.get(provider)?.describeModel(provider, name),
    contextWindowOf: models.contextWindowOf,
  });
  const first = { model: wanted, runner: runners.get(wanted.provider) };
  // A runner without the model would fail with a sentence of its own; the caller's says what to set.
  const isKnown = first.runner?.describeModel(wanted.provider, wanted.model) !== undefined;
  const others = isKnown && asked === undefined ? await findOthers(turn, wanted) : [];
  const chosen = await passOverResting(turn, [
    isKnown ? first : { model: wanted, runner: undefined },
    ...others,
  ]);
  const { model, runner } = chosen.candidates[0]!;
  const thinkingLevel = chooseThinkingLevel({ entry, thinkingDefault: agent.thinkingDefault });
  return {
    runner,
    model,
    models: chosen,
    thinkingLevel,
    ...offerTools(turn, session, model),
    lines: linesForChanges(entry, { model, thinkingLevel }),
    notices: [
      notice,
      isGroup ? describeNewActivation(entry, activationOf(turn, entry), SILENT_REPLY_TOKEN) : undefined,
    ].filter((text) => text !== undefined),
  };
}

/** With the first of the models that are left. The transcript knows of the change from the run that was cut short. */
export function withModels(chosen: ChosenRun, models: ModelsOfRun): ChosenRun {
  const { model, runner } = models.candidates[0]!;
  if (model === chosen.model) return chosen;
  const lines = chosen.lines.filter(({ type }) => type !== 'model_change');
  return { ...chosen, model, runner, models, lines };
}

/** The agent's list of models without the wanted one. An agent without fallbacks has no list. */
async function findOthers({ tools, models, watcher }: Turn, wanted: ModelChoice): Promise<ModelCandidate[]> {
  if (models.fallbacks.length === 0) return [];
  const standard = { provider: models.defaultProvider, model: models.defaultModel };
  const found = new Map<string, ModelCandidate>();
  for (const ref of [standard, ...models.fallbacks]) {
    const name = nameOfModel(ref);
    if (name === nameOfModel(wanted) || found.has(name)) continue;
    const runner = await tools.findRunner(ref.provider);
    const model = runner?.describeModel(ref.provider, ref.model);
    if (model === undefined) {
      watcher.onEvent({ type: 'warning', message: `There is no model ${name}: it cannot take over.` });
    } else found.set(name, { runner, model: limitWindow(model, models.contextWindowOf(ref)) });
  }
  return [...found.values()];
}

async function passOverResting(
  { tools, watcher, startedAt }: Turn,
  all: readonly [ModelCandidate, ...ModelCandidate[]],
): Promise<ModelsOfRun> {
  if (all.length === 1) return listCandidates(all, new Map(), startedAt);
  const cooldowns = await tools.cooldowns.read().catch((error: unknown) => {
    watcher.onEvent({ type: 'warning', message: describeCooldownTrouble(error) });
    return new Map();
  });
  return listCandidates(all, cooldowns, startedAt);
}

export function describeCooldownTrouble(error: unknown): string {
  return `It could not be read or kept which models failed: ${error instanceof Error ? error.message : error}`;
}

function activationOf({ tools, message }: Turn, entry: TurnSession['entry']): GroupActivation {
  const { groups } = resolveChannelSettings(tools.config, message.identity);
  return resolveGroupActivation({ entry, groups, ctx: message.ctx });
}

/** What the model is told before the conversation: as the transcript has it, or made now. */
export async function openPrefix(
  turn: Turn,
  ctx: MsgContext,
  session: TurnSession,
  chosen: Pick<ChosenRun, 'model' | 'runner' | 'tools' | 'isReadOnly' | 'whenAnswered'> & {
    readonly skills: SessionSkillSnapshot;
  },
): Promise<SessionPrefix> {
  const { tools, agent, work, message, startedAt } = turn;
  const { sessionKey, sessionId, entry, isGroup } = session;
  const { Provider, OriginatingChannel } = message.ctx;
  const isShared = isSharedSession(session);
  const isOfGroup = isShared && sessionKey !== 'global';
  // A message of another session, of a clock, or of the owner at the machine comes from no chat network.
  const isFromPlace = message.wish?.relay === undefined && !isHeartbeat(message) && (isGroup || !isOfGroup);
  const isDenied = (path: string) => isReadDenied(turn, path);
  const build = () =>
    buildSystemPrompt({
      agentId: work.agentId,
      agentName: agent.name,
      systemPrompt: agent.systemPrompt,
      workspaceDir: agent.workspaceDir,
      stateDir: tools.stateDir,
      sessionKey,
      sessionId,
      isShared,
      isDenied,
      isReadOnly: chosen.isReadOnly,
      channel: isFromPlace ? (Provider ?? OriginatingChannel) : undefined,
      model: chosen.model,
      skillsPrompt: chosen.skills.prompt,
      tools: chosen.tools.list,
      // A session that was spawned answers to another one, and not in the group.
      groupIntro:
        isFromPlace && isGroup && !isSubagentSessionKey(sessionKey)
          ? buildGroupIntro({
              channel: message.identity.channel,
              activation: activationOf(turn, entry),
              subject: ctx.GroupSubject ?? entry.subject,
              members: ctx.GroupMembers,
              silentToken: SILENT_REPLY_TOKEN,
            })
          : undefined,
      timeZone: agent.userTimezone,
      now: startedAt,
      extra: isFromPlace ? ctx.GroupSystemPrompt : undefined,
    });
  const prefix = await SessionPrefix.open(() => tools.transcripts.lookBack(turn.refOf(entry)), {
    agentId: work.agentId,
    sessionKey,
    sessionId,
    candidate: chosen,
    isFromPlace,
    tools: chosen.tools,
    build,
    readFiles: () => readFiles(agent.workspaceDir, { isShared, isDenied }),
  });
  chosen.whenAnswered.add(() => prefix.noteAnswer());
  return prefix;
}

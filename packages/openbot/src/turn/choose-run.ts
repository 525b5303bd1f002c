import { type MsgContext, resolveGroupSessionKey, type SessionSkillSnapshot } from '@openbot/sessions';
import type { EntryDraft } from '@openbot/sessions/transcript';
import { resolveModel } from '../config/models.ts';
import type { ModelChoice, Runner, SystemPrompt } from '../runners/contract.ts';
import { type GroupActivation, resolveGroupActivation } from './history/group-activation.ts';
import { buildGroupIntro, describeNewActivation } from './history/group-intro.ts';
import type { TurnSession } from './init-session.ts';
import { type OfferedTools, offerTools } from './offer-tools.ts';
import type { Turn } from './open-turn.ts';
import { buildSystemPrompt } from './prompt/build-system-prompt.ts';
import { SILENT_REPLY_TOKEN } from './reply/tokens.ts';
import { chooseModel } from './session-fields/choose-model.ts';
import { chooseThinkingLevel, linesForChanges } from './session-fields/lines-for-changes.ts';

export interface ChosenRun extends OfferedTools {
  readonly runner: Runner | undefined;
  readonly model: ModelChoice;
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
  const { model, notice } = chooseModel({
    entry,
    asked,
    standard,
    describe: (provider, name) => runners.get(provider)?.describeModel(provider, name),
    contextWindowOf: models.contextWindowOf,
  });
  const runner = runners.get(model.provider);
  const thinkingLevel = chooseThinkingLevel({ entry, thinkingDefault: agent.thinkingDefault });
  return {
    // A runner without the model would fail with a sentence of its own; the caller's says what to set.
    runner: runner?.describeModel(model.provider, model.model) === undefined ? undefined : runner,
    model,
    thinkingLevel,
    ...offerTools(turn, session, model),
    lines: linesForChanges(entry, { model, thinkingLevel }),
    notices: [
      notice,
      isGroup ? describeNewActivation(entry, activationOf(turn, entry), SILENT_REPLY_TOKEN) : undefined,
    ].filter((text) => text !== undefined),
  };
}

function activationOf({ tools, message }: Turn, entry: TurnSession['entry']): GroupActivation {
  const { groups } = tools.config.channels?.[message.identity.channel] ?? {};
  return resolveGroupActivation({ entry, groups, groupId: resolveGroupSessionKey(message.ctx)?.id });
}

/** What the model is told before the conversation. */
export function writeSystemPrompt(
  turn: Turn,
  ctx: MsgContext,
  { sessionKey, sessionId, entry, isGroup }: TurnSession,
  chosen: Pick<ChosenRun, 'model' | 'tools' | 'isReadOnly'> & { readonly skills: SessionSkillSnapshot },
): SystemPrompt {
  const { tools, agent, work, message, startedAt } = turn;
  const { Provider, OriginatingChannel } = message.ctx;
  // A message of another session comes from no chat network.
  const channel = message.wish?.relay === undefined ? (Provider ?? OriginatingChannel) : undefined;
  return buildSystemPrompt({
    agentId: work.agentId,
    agentName: agent.name,
    systemPrompt: agent.systemPrompt,
    workspaceDir: agent.workspaceDir,
    stateDir: tools.stateDir,
    sessionKey,
    sessionId,
    isGroup,
    isReadOnly: chosen.isReadOnly,
    channel,
    model: chosen.model,
    skillsPrompt: chosen.skills.prompt,
    tools: chosen.tools.list,
    groupIntro: isGroup
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
    extra: ctx.GroupSystemPrompt,
  });
}

import { hash } from 'node:crypto';
import type { StoredEntry } from '@openbot/sessions';
import { buildSubagentSessionKey, isGroupType } from '@openbot/sessions/key';
import { THINKING_LEVELS } from '../config/bot-config.ts';
import { indexModels, type ModelRef, resolveModel } from '../config/models.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import { inheritLimits } from '../tools/allowed-tools.ts';
import { type Tool, toolFailure } from '../tools/contract.ts';
import { readLabel } from '../tools/read-label.ts';
import { isChat } from './message-target.ts';
import { answer, MOST_SECONDS, type ToolScope } from './parts.ts';
import { listOwn, readLineage } from './reach.ts';
import { cut, describeTask } from './relay-words.ts';
import { assertMayPassOn } from './sessions-send.ts';

const MOST_CHILDREN = 5;
const DEPTH = 1;
const WAIT_MS = 10 * 60_000;

const PARAMETERS: Tool['parameters'] = {
  type: 'object',
  properties: {
    task: { type: 'string', description: 'The task, with all that is needed to do it.' },
    label: { type: 'string', description: 'A name for the session.' },
    model: { type: 'string', description: 'An alias, or provider/model. Default: that of the agent.' },
    thinking: { type: 'string', enum: THINKING_LEVELS, description: 'How hard it thinks.' },
    timeoutSeconds: {
      type: 'number',
      minimum: 1,
      description: `How long it may take; at most ${MOST_SECONDS}.`,
    },
  },
  required: ['task'],
};

export function makeSessionsSpawn(scope: ToolScope): Tool {
  return {
    name: 'sessions_spawn',
    description:
      'Starts a session of its own for a task that can be done beside this conversation. You are told the result when it is done.',
    parameters: PARAMETERS,
    changes: false,
    run: async (args, { signal }) => {
      const { parts, session, agent } = scope;
      const task = (args.task as string).trim();
      if (task === '') throw toolFailure('The task is empty.');
      const label = readLabel(args.label);
      const model = await readModel(scope, (args.model as string) ?? agent.subagents?.model);
      const seconds = (args.timeoutSeconds as number) ?? agent.subagents?.runTimeoutSeconds;
      const name = scope.nameAction('spawn', [task, label]);
      const { agentId, sessionKey: asker, requester } = session;
      const sessionKey = buildSubagentSessionKey({ agentId, key: toUuid(name) });
      const above = await readLineage(scope);
      await assertMaySpawn(scope, sessionKey, above.length - 1);
      const now = parts.now();
      await scope.store.update(
        sessionKey,
        (entry) =>
          entry ?? {
            sessionId: toUuid(`${name}:session`),
            updatedAt: now,
            spawnedBy: asker,
            label,
            // What a group must not read, a session that answers to it must not read either.
            chatType: session.isShared ? (groupTypeOf(above[0]?.entry) ?? 'group') : 'direct',
            ...inheritLimits(above.flatMap(({ entry: one }) => one ?? [])),
            providerOverride: model?.provider,
            modelOverride: model?.model,
            thinkingLevel: (args.thinking as string) ?? agent.subagents?.thinking,
          },
      );
      const message = await parts.relays.put({
        key: name,
        to: { agentId, sessionKey },
        text: describeTask(task),
        relay: {
          kind: 'spawn',
          chain: [...session.chain, asker],
          label,
          ...(isChat(requester) && { announceTo: requester }),
        },
        wish: { timeoutMs: seconds === undefined ? undefined : Math.min(seconds, MOST_SECONDS) * 1000 },
      });
      if (!isChat(requester)) return waitForIt(scope, message, signal);
      parts.relays.wake(message);
      return answer({ status: 'accepted', sessionKey, label, note: 'You are told when it is done.' });
    },
  };
}

/** A command ends with its answer, and so does a task of another session: a later result would have no reader. */
async function waitForIt({ parts }: ToolScope, message: InboxMessage, signal: AbortSignal): Promise<string> {
  const { sessionKey } = message;
  const end = await parts.relays.wait(message, { timeoutMs: WAIT_MS, signal });
  if (end === undefined)
    return answer({ status: 'accepted', sessionKey, note: 'It is not done yet. See sessions_history.' });
  return answer({ status: end.isAnswered ? 'ok' : 'failed', sessionKey, result: cut(end.text) });
}

async function assertMaySpawn(scope: ToolScope, child: string, depth: number): Promise<void> {
  const { parts, session, agent } = scope;
  const { agentId, sessionKey } = session;
  const { maxSpawnDepth = DEPTH, maxChildrenPerAgent = MOST_CHILDREN } = agent.subagents ?? {};
  if (depth >= maxSpawnDepth) {
    const who =
      depth === 0 ? 'This agent must not spawn sessions' : 'A session that was spawned must not spawn others';
    throw toolFailure(`${who}. Do the task yourself.`);
  }
  assertMayPassOn(scope);
  let busy = 0;
  for (const { key, entry } of await listOwn(scope)) {
    if (entry.spawnedBy !== sessionKey || key === child) continue;
    if ((await parts.state.inbox.waiting({ agentId, sessionKey: key })).length > 0) busy++;
  }
  if (busy >= maxChildrenPerAgent)
    throw toolFailure(
      `${busy} sessions that you spawned are at work, which is the limit. Wait for one to end.`,
    );
}

function groupTypeOf(entry: StoredEntry | undefined): 'group' | 'channel' | undefined {
  const type = entry?.chatType;
  return isGroupType(type) ? type : undefined;
}

async function readModel(
  { parts, agent }: ToolScope,
  name: string | undefined,
): Promise<ModelRef | undefined> {
  if (name === undefined) return undefined;
  const models = indexModels(agent);
  const ref = resolveModel(name, models);
  if (await parts.hasModel(agent, ref)) return ref;
  const known = models.models.map(({ provider, model }) => `${provider}/${model}`);
  throw toolFailure(`There is no model ${name}. Configured are: ${known.join(', ')}.`);
}

/** In the form of a random one, so that a repeat after a crash means the same session. */
function toUuid(name: string): string {
  const hex = hash('sha256', name).slice(0, 32).split('');
  hex[12] = '4';
  hex[16] = '89ab'[Number.parseInt(hex[16]!, 16) % 4]!;
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

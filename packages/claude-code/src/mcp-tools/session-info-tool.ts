import type { StoredEntry, StoredSession } from '@openbot/sessions';
import { boundText, boundTexts, fitAnswer, toIsoTime } from './answer.ts';
import { findConversation, listConversations, SESSION_KEY_INPUT } from './find-conversation.ts';
import { type McpScope, readOwnKey } from './scope.ts';
import {
  describe,
  LEFT_OUT_SCHEMA,
  listOf,
  type McpTool,
  NUMBER,
  objectOf,
  type Schema,
  TEXT,
  TIME,
} from './tool.ts';

/** The fields of an entry that are returned. Addresses, profiles, prompts and paths are not among them. */
const TEXT_FIELDS = [
  'label',
  'displayName',
  'chatType',
  'channel',
  'subject',
  'groupChannel',
  'status',
  'spawnedBy',
  'modelProvider',
  'model',
  'thinkingLevel',
  'queueMode',
  'sendPolicy',
] as const satisfies readonly (keyof StoredEntry)[];
const NUMBER_FIELDS = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'contextTokens',
  'estimatedCostUsd',
  'compactionCount',
] as const satisfies readonly (keyof StoredEntry)[];
const TIME_FIELDS = [
  'sessionStartedAt',
  'lastInteractionAt',
] as const satisfies readonly (keyof StoredEntry)[];

const FIELD_LIMIT = 200;
const NAME_LIMIT = 600;
const OTHERS_SHOWN = 20;

const withSchema = (names: readonly string[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema]));

const CONVERSATION = objectOf({ sessionKey: TEXT }, { updatedAt: TIME, label: TEXT });

export function makeSessionInfoTool(scope: McpScope): McpTool {
  return {
    name: 'openclaw_session_info',
    title: 'About the conversation',
    description:
      'Describes the conversation that requested this run: channel, model, tokens, times. Lists the agent’s other ' +
      'conversations too, unless the server may read only one.',
    inputSchema: objectOf({}, { session_key: SESSION_KEY_INPUT }),
    outputSchema: objectOf(
      {
        agentId: TEXT,
        sessionKey: TEXT,
        sessionId: TEXT,
        storage: { type: 'string', enum: ['sqlite', 'files'] },
        leftOut: LEFT_OUT_SCHEMA,
      },
      {
        updatedAt: TIME,
        ...withSchema(TEXT_FIELDS, TEXT),
        ...withSchema(NUMBER_FIELDS, NUMBER),
        ...withSchema(TIME_FIELDS, TIME),
        otherConversations: describe(
          listOf(CONVERSATION),
          'The other conversations of the agent, last used first.',
        ),
      },
    ),
    isReadOnly: true,
    async run(input) {
      const { key, entry, storage } = await findConversation(scope, input.session_key);
      const others = scope.sessionKey === undefined ? await listConversations(scope) : undefined;
      const rest = others?.filter((other) => other.key !== key) ?? [];
      const answer = {
        agentId: scope.agentId,
        sessionKey: boundTexts(key, NAME_LIMIT),
        sessionId: boundTexts(entry.sessionId, NAME_LIMIT),
        storage,
        ...describeEntry(entry, scope.agentId),
        ...(others === undefined
          ? {}
          : { otherConversations: rest.slice(0, OTHERS_SHOWN).map(describeOther) }),
        leftOut:
          rest.length > OTHERS_SHOWN
            ? [{ what: 'otherConversations', count: rest.length - OTHERS_SHOWN }]
            : [],
      };
      return fitAnswer(answer, [{ path: ['otherConversations'] }]);
    },
  };
}

function describeEntry(entry: StoredEntry, agentId: string): Record<string, unknown> {
  const described: Record<string, unknown> = { ...timeOf('updatedAt', entry.updatedAt) };
  for (const name of TEXT_FIELDS) {
    const value = entry[name];
    if (typeof value !== 'string' || value === '') continue;
    if (name === 'spawnedBy' && !isOwnKey(value, agentId)) continue;
    described[name] = boundText(value, FIELD_LIMIT);
  }
  for (const name of NUMBER_FIELDS) if (Number.isFinite(entry[name])) described[name] = entry[name];
  for (const name of TIME_FIELDS) Object.assign(described, timeOf(name, entry[name]));
  return described;
}

/** Keys of another agent's conversations are not returned. */
function isOwnKey(key: string, agentId: string): boolean {
  try {
    readOwnKey(key, agentId);
    return true;
  } catch {
    return false;
  }
}

function describeOther({ key, entry }: StoredSession): Record<string, unknown> {
  const { label } = entry;
  return {
    sessionKey: boundTexts(key, NAME_LIMIT),
    ...timeOf('updatedAt', entry.updatedAt),
    ...(typeof label === 'string' ? { label: boundText(label, FIELD_LIMIT) } : {}),
  };
}

function timeOf(name: string, value: unknown): Record<string, string> {
  const time = typeof value === 'number' ? toIsoTime(value) : undefined;
  return time === undefined ? {} : { [name]: time };
}

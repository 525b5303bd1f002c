import type { StoredEntry, StoredSession } from '@openbot/sessions';
import { boundText, boundTexts } from './bounded-text.ts';
import { findConversation, listConversations } from './find-conversation.ts';
import { fitAnswer, LEFT_OUT_SCHEMA } from './fit-answer.ts';
import { toIsoTime } from './iso-time.ts';
import type { McpScope } from './mcp-options.ts';
import { readOwnKey } from './resolve-scope.ts';
import { describe, listOf, NUMBER, objectOf, type Schema, TEXT, TIME } from './schema.ts';
import { SESSION_KEY_INPUT } from './session-key-input.ts';
import type { McpTool } from './tool.ts';

/** What is told of an entry. Addresses, profiles, prompts and paths are not. */
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
      'What is known of the conversation in which this run was asked for: channel, model, tokens, times. A server ' +
      'that was started for no conversation also names the agent’s others.',
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
        otherConversations: describe(listOf(CONVERSATION), 'The agent’s others, the one used last first.'),
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
  const told: Record<string, unknown> = { ...timeOf('updatedAt', entry.updatedAt) };
  for (const name of TEXT_FIELDS) {
    const value = entry[name];
    if (typeof value !== 'string' || value === '') continue;
    if (name === 'spawnedBy' && !isOwnKey(value, agentId)) continue;
    told[name] = boundText(value, FIELD_LIMIT);
  }
  for (const name of NUMBER_FIELDS) if (Number.isFinite(entry[name])) told[name] = entry[name];
  for (const name of TIME_FIELDS) Object.assign(told, timeOf(name, entry[name]));
  return told;
}

/** Another agent's conversations are not named. */
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

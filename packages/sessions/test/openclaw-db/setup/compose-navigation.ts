import { isCanonical, isObject, type Json } from './reference-tree.ts';

const LINKS = ['type', 'id', 'parentId', 'targetId', 'appendParentId', 'appendMode'];
const RESET_FIELDS = [...LINKS, 'timestamp', 'firstKeptEntryId', 'customType', 'display'];
const MODEL_FIELDS = [
  ...[...LINKS, 'timestamp', 'version', 'cwd', 'firstKeptEntryId', 'reason', 'tokensBefore', 'thinkingLevel'],
  ...['provider', 'modelId', 'fromId', 'customType', 'display', 'label', 'name'],
];
const MESSAGE_FIELDS = [
  ...['role', 'provider', 'model', 'timestamp', 'excludeFromContext', 'toolCallId', 'toolUseId'],
  ...['tool_call_id', 'tool_use_id', 'callId', 'call_id', 'toolName', 'isError', 'stopReason', 'customType'],
  'display',
];
const CALL_TYPES = ['toolCall', 'toolUse', 'functionCall'];
const INSERTED_FOR_MISSING = 'openclawSyntheticMissingToolResult';

function pick(value: Json, fields: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name)));
}

function omit(value: Json, field: string): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
}

const isReference = (value: unknown) => value === null || typeof value === 'string';
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isContent = (value: unknown) =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.every((block) => isObject(block) && typeof block.type === 'string'));

function isReadableMessage(message: unknown): boolean {
  if (!isObject(message)) return false;
  switch (message.role) {
    case 'user':
    case 'assistant':
      return isContent(message.content);
    case 'toolResult':
      return (
        [message.toolCallId, message.toolName].every((name) => typeof name === 'string') &&
        typeof message.isError === 'boolean' &&
        Array.isArray(message.content)
      );
    case 'custom':
      return isContent(message.content) && ['string', 'undefined'].includes(typeof message.customType);
    case 'bashExecution':
      return typeof message.command === 'string' && typeof message.output === 'string';
    default:
      return false;
  }
}

/** Whether an entry has the fields that its type needs. */
function isWellFormed(event: Json): boolean {
  const { id, parentId, timestamp } = event;
  if (!isText(id) || !['string', 'undefined'].includes(typeof timestamp)) return false;
  if (parentId !== undefined && !isReference(parentId)) return false;
  switch (event.type) {
    case 'message':
      return isReadableMessage(event.message);
    case 'thinking_level_change':
      return isText(event.thinkingLevel);
    case 'model_change':
      return isText(event.provider) && isText(event.modelId);
    case 'compaction':
      return (
        typeof event.summary === 'string' &&
        isText(event.firstKeptEntryId) &&
        typeof event.tokensBefore === 'number'
      );
    case 'reset':
      return ['new', 'reset', 'idle', 'daily', 'cron-stale'].includes(String(event.reason));
    case 'branch_summary':
      return typeof event.fromId === 'string' && typeof event.summary === 'string';
    case 'custom':
      return isText(event.customType);
    case 'custom_message':
      return isText(event.customType) && isContent(event.content) && typeof event.display === 'boolean';
    case 'label':
      return isText(event.targetId) && ['string', 'undefined'].includes(typeof event.label);
    default:
      return ['string', 'undefined'].includes(typeof event.name);
  }
}

function composeReport(event: Json): Json {
  const { id, parentId, timestamp, appendMode, type, message } = event;
  if (isCanonical(event) && isWellFormed(event)) {
    const entry: Json = { id, parentId, timestamp, appendMode, type };
    if (type === 'label') Object.assign(entry, { targetId: event.targetId, label: event.label });
    if (type === 'custom_message') entry.customType = event.customType;
    if (type === 'message' && isObject(message) && message.role === 'assistant') {
      const runId = isObject(message.__openclaw) ? message.__openclaw.runId : undefined;
      entry.assistantRunId = typeof runId === 'string' && runId.trim() !== '' ? runId.trim() : undefined;
      if (typeof message.responseId === 'string') entry.assistantResponseId = message.responseId;
    }
    return { kind: 'canonical', hasParentId: Object.hasOwn(event, 'parentId'), entry };
  }
  if (!isText(id) || !isReference(parentId)) return { kind: 'ignored' };
  if (type !== 'leaf') return type === 'session' ? { kind: 'ignored' } : { kind: 'link', id, parentId };
  const { targetId, appendParentId } = event;
  const isControl =
    isReference(targetId) &&
    (appendParentId === undefined || isReference(appendParentId)) &&
    (appendMode === undefined || appendMode === 'side');
  return isControl
    ? { kind: 'leaf', entry: { id, parentId, targetId, appendParentId, appendMode } }
    : { kind: 'ignored' };
}

function composeModel(event: Json): Json {
  const entry = pick(event, MODEL_FIELDS);
  if (event.type === 'custom_message') return { ...entry, content: [] };
  if (event.type === 'compaction' || event.type === 'branch_summary') return { ...entry, summary: '' };
  if (event.type !== 'message') return entry;
  const message = isObject(event.message) ? event.message : {};
  const blocks = (Array.isArray(message.content) ? message.content : []).filter(isObject);
  const calls = blocks
    .filter(({ type }) => CALL_TYPES.includes(type as string))
    .map(({ type, id, name }) => ({ type, id: id ?? null, name: name ?? null }));
  const replay = isObject(message.providerReplay) ? message.providerReplay.type : undefined;
  const isInserted = isObject(message.details) && message.details[INSERTED_FOR_MISSING] === true;
  return {
    ...entry,
    message: {
      ...pick(message, MESSAGE_FIELDS),
      content: calls,
      command: '',
      output: '',
      providerReplay: { type: replay ?? null },
      details: { [INSERTED_FOR_MISSING]: isInserted },
    },
  };
}

const countBytes = (value: Json) => Buffer.byteLength(JSON.stringify(value), 'utf8');

/** What is sent to a model of an event: without details of results and without what only OpenClaw reads. */
function composeSent(event: Json, keepsReplay: boolean): Json {
  if (!isObject(event.message)) return event;
  let message = event.message;
  if (isObject(message.__openclaw)) {
    message = { ...message, __openclaw: omit(message.__openclaw, 'upstreamUserText') };
  }
  if (message.role === 'toolResult') message = omit(message, 'details');
  if (!keepsReplay) message = omit(message, 'providerReplay');
  return { ...event, message };
}

/**
 * The `navigation_json` of a compressed event: what OpenClaw reads of it without decompressing. Undefined where OpenClaw
 * would have none, and so would store the event plain.
 */
export function composeNavigation(event: unknown): string | undefined {
  if (!isObject(event) || (event.message != null && !isObject(event.message))) return undefined;
  const navigation = pick(event, [...MODEL_FIELDS, 'message']);
  if (isObject(event.message)) {
    const fields = ['role', 'idempotencyKey', 'provenance', 'excludeFromContext', '__openclaw'];
    const message = pick(event.message, fields);
    if (isObject(message.__openclaw)) {
      message.__openclaw = pick(message.__openclaw, ['runId', 'steerTargetRunId', 'contextFreeCommand']);
    }
    navigation.message = message;
  }
  const role = isObject(event.message) ? (event.message.role ?? null) : null;
  const json = JSON.stringify({
    version: 1,
    report: composeReport(event),
    navigation,
    reset: { ...pick(event, RESET_FIELDS), message: { role } },
    model: composeModel(event),
    modelBytes: countBytes(composeSent(event, true)),
    modelWithoutCheckpointBytes: countBytes(composeSent(event, false)),
    withoutCustomDataBytes: countBytes(omit(event, 'data')),
  });
  return Buffer.byteLength(json, 'utf8') <= 16_384 ? json : undefined;
}

/**
 * The transcripts of OpenClaw and pi, all ages: linear without ids (v1), tree with ids (v2 to v4), content as text
 * or blocks, and flat lines that are themselves the message (`{"type":"user","content":…}`, `{"role":"user",…}`).
 */
import type { EntryKind, EntryRole, TokenUsage } from '../entry.ts';
import { FLAG } from '../entry.ts';
import { flagOfModel } from '../preserved-thinking.ts';
import { defineShape, type SkimmedLine, type Spec } from '../skim/shape.ts';
import {
  ABSENT,
  addCall,
  addResult,
  asNumber,
  asRef,
  asText,
  type Dialect,
  ESTIMATED_BY,
  type LineFacts,
  noteThinking,
} from './dialect.ts';
import { isSystemPart, TOLD_TURN } from './machine-text.ts';

const BLOCKS: Spec = {
  fields: {
    type: 'text',
    text: 'head',
    thinking: 'size',
    id: 'ref',
    name: 'text',
    arguments: 'weight',
    input: 'weight',
    partialArgs: 'weight',
  },
};

const USAGE: Spec = {
  fields: {
    input: { leaf: 'number', as: 'usage.input' },
    output: { leaf: 'number', as: 'usage.output' },
    cacheRead: { leaf: 'number', as: 'usage.cacheRead' },
    cacheWrite: { leaf: 'number', as: 'usage.cacheWrite' },
    totalTokens: { leaf: 'number', as: 'usage.total' },
    estimatedBy: { leaf: 'text', as: 'usage.estimatedBy' },
    contextUsage: {
      fields: {
        state: { leaf: 'text', as: 'usage.context.state' },
        totalTokens: { leaf: 'number', as: 'usage.context.total' },
      },
    },
  },
};

/** A message's own fields, wherever the line keeps them: under `message`, or, in flat lines, at the top. */
const MESSAGE: Readonly<Record<string, Spec | 'text' | 'flag' | 'size' | 'weight'>> = {
  role: { leaf: 'text', as: 'role' },
  content: { leaf: 'head', as: 'content', rows: BLOCKS },
  toolCallId: { leaf: 'ref', as: 'toolCallId' },
  toolName: { leaf: 'text', as: 'toolName' },
  isError: { leaf: 'flag', as: 'isError' },
  details: { leaf: 'weight', as: 'details' },
  usage: USAGE,
  stopReason: { leaf: 'text', as: 'stopReason' },
  model: { leaf: 'text', as: 'model' },
  command: { leaf: 'size', as: 'command' },
  output: { leaf: 'size', as: 'output' },
  excludeFromContext: { leaf: 'flag', as: 'excludeFromContext' },
};

const shape = defineShape({
  fields: {
    ...MESSAGE,
    type: 'text',
    id: 'ref',
    parentId: 'ref',
    version: 'scalar',
    cwd: 'text',
    parentSession: 'text',
    message: { leaf: 'present', fields: { ...MESSAGE, idempotencyKey: 'text' } },
    customType: 'text',
    modelId: 'text',
    key: 'text',
    firstKeptEntryId: 'ref',
    firstKeptEntryIndex: 'number',
    fromId: 'ref',
    targetId: 'ref',
    appendParentId: 'ref',
    appendMode: 'text',
    summary: 'size',
    systemMessage: {
      fields: {
        content: {
          leaf: 'sum',
          as: 'systemText',
          each: { fields: { text: { leaf: 'sum', as: 'systemText' } } },
        },
      },
    },
    replacement: { leaf: 'scalar', fields: { content: { leaf: 'head', as: 'content', rows: BLOCKS } } },
  },
});

const TYPE = shape.slot('type');
const ID = shape.slot('id');
const PARENT_ID = shape.slot('parentId');
const VERSION = shape.slot('version');
const CWD = shape.slot('cwd');
const PARENT_SESSION = shape.slot('parentSession');
const MESSAGE_PRESENT = shape.slot('message');
const ROLE = shape.slot('role');
const CONTENT = shape.slot('content');
const CONTENT_HEAD = shape.slot('content^');
const TOOL_CALL_ID = shape.slot('toolCallId');
const TOOL_NAME = shape.slot('toolName');
const IS_ERROR = shape.slot('isError');
const IDEMPOTENCY_KEY = shape.slot('message.idempotencyKey');
const DETAILS = shape.slot('details');
const STOP_REASON = shape.slot('stopReason');
const MODEL = shape.slot('model');
const COMMAND = shape.slot('command');
const OUTPUT = shape.slot('output');
const EXCLUDED = shape.slot('excludeFromContext');
const USAGE_INPUT = shape.slot('usage.input');
const USAGE_OUTPUT = shape.slot('usage.output');
const USAGE_CACHE_READ = shape.slot('usage.cacheRead');
const USAGE_CACHE_WRITE = shape.slot('usage.cacheWrite');
const USAGE_TOTAL = shape.slot('usage.total');
const USAGE_ESTIMATED_BY = shape.slot('usage.estimatedBy');
const USAGE_CONTEXT_STATE = shape.slot('usage.context.state');
const USAGE_CONTEXT_TOTAL = shape.slot('usage.context.total');
const MODEL_ID = shape.slot('modelId');
const CUSTOM_TYPE = shape.slot('customType');
const KEY = shape.slot('key');
const FIRST_KEPT = shape.slot('firstKeptEntryId');
const FIRST_KEPT_INDEX = shape.slot('firstKeptEntryIndex');
const FROM_ID = shape.slot('fromId');
const TARGET_ID = shape.slot('targetId');
const APPEND_PARENT_ID = shape.slot('appendParentId');
const APPEND_MODE = shape.slot('appendMode');
const SUMMARY = shape.slot('summary');
const REPLACEMENT = shape.slot('replacement');
const SYSTEM_TEXT = shape.slot('systemText');

const BLOCK_TYPE = shape.rowSlot('type');
const BLOCK_TEXT = shape.rowSlot('text');
const BLOCK_HEAD = shape.rowSlot('text^');
const BLOCK_THINKING = shape.rowSlot('thinking');
const BLOCK_ID = shape.rowSlot('id');
const BLOCK_NAME = shape.rowSlot('name');
const BLOCK_ARGUMENTS = shape.rowSlot('arguments');
const BLOCK_INPUT = shape.rowSlot('input');
const BLOCK_PARTIAL_ARGS = shape.rowSlot('partialArgs');

const KIND_OF_TYPE = new Map<string, EntryKind>([
  ['message', 'message'],
  ['compaction', 'compaction'],
  ['branch_summary', 'branch-summary'],
  ['custom', 'custom'],
  ['custom_message', 'custom-message'],
  ['label', 'label'],
  ['model_change', 'model-change'],
  ['thinking_level_change', 'thinking-level-change'],
  ['session_info', 'session-info'],
  ['context_edit', 'context-edit'],
  ['usage', 'usage'],
  ['reset', 'reset'],
  ['leaf', 'leaf'],
]);

const ROLE_OF_NAME = new Map<string, EntryRole>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['toolResult', 'toolResult'],
  ['system', 'system'],
  ['custom', 'custom'],
  ['hookMessage', 'custom'],
  ['bashExecution', 'bashExecution'],
]);

export const openclawDialect: Dialect = {
  name: 'openclaw',
  shape,
  linkFields: { id: 'id', parentId: 'parentId' },
  read(line, facts) {
    const { values } = line;
    const type = asText(values[TYPE]);
    facts.type = type ?? '';
    facts.id = asRef(values[ID]);
    facts.parentId = (values[PARENT_ID] as number | undefined) ?? ABSENT;
    if (type === 'session') {
      facts.kind = 'header';
      // The id of a header is the session's, not an entry's.
      facts.id = ABSENT;
      facts.parentId = ABSENT;
      return;
    }
    const flatRole = type === undefined ? asText(values[ROLE]) : type;
    if (values[APPEND_MODE] === 'side') facts.flags |= FLAG.sideAppend;
    if (values[MESSAGE_PRESENT] === true) facts.flags |= FLAG.hasMessage;
    const isOther = type !== undefined && type !== 'message' && KIND_OF_TYPE.has(type);
    if (type === 'message' || (values[MESSAGE_PRESENT] === true && !isOther)) {
      readMessage(line, facts, asText(values[ROLE]));
    } else if (flatRole !== undefined && isFlatMessage(flatRole)) {
      readMessage(line, facts, flatRole);
    } else if (type !== undefined) {
      facts.kind = KIND_OF_TYPE.get(type) ?? 'unknown';
      readOther(line, facts);
    }
  },
  describe({ values, strings }, facts) {
    if (facts.kind !== 'header') return undefined;
    const id = asRef(values[ID]);
    const version = values[VERSION];
    return {
      version: typeof version === 'string' || typeof version === 'number' ? version : undefined,
      id: id >= 0 ? strings.text(id) : undefined,
      cwd: asText(values[CWD]),
      parentSession: asText(values[PARENT_SESSION]),
    };
  },
};

function isFlatMessage(role: string): boolean {
  return role === 'user' || role === 'assistant' || role === 'toolResult';
}

function readMessage(line: SkimmedLine, facts: LineFacts, roleName: string | undefined): void {
  const { values } = line;
  facts.kind = 'message';
  const role = roleName === undefined ? 'other' : (ROLE_OF_NAME.get(roleName) ?? 'other');
  facts.role = role;
  const contentSize = values[CONTENT];
  let text = asNumber(contentSize);
  let hasWords = text > 0 && !isSystemPart(values[CONTENT_HEAD]);
  for (let i = 0; i < line.rowCount; i++) {
    const type = line.row(i, BLOCK_TYPE);
    if (type === 'text') {
      const size = asNumber(line.row(i, BLOCK_TEXT));
      text += size;
      if (size > 0 && !isSystemPart(line.row(i, BLOCK_HEAD))) hasWords = true;
    } else if (isCallBlock(type)) {
      const size = line.row(i, BLOCK_ARGUMENTS) ?? line.row(i, BLOCK_INPUT);
      addCall(facts, line.row(i, BLOCK_ID), line.row(i, BLOCK_NAME), asNumber(size));
      facts.copySize += asNumber(line.row(i, BLOCK_PARTIAL_ARGS));
    } else if (type === 'thinking' || type === 'redacted_thinking') {
      facts.thinkingSize += asNumber(line.row(i, BLOCK_THINKING));
      noteThinking(facts, text > 0);
    } else if (type === 'image') {
      facts.imageCount++;
      hasWords = true;
    } else facts.flags |= FLAG.otherContent;
  }
  facts.copySize += asNumber(values[DETAILS]);
  if (values[EXCLUDED] === true) facts.flags |= FLAG.outOfContext;
  if (role === 'toolResult') {
    addResult(facts, values[TOOL_CALL_ID], asText(values[TOOL_NAME]) ?? '', text, values[IS_ERROR] === true);
    return;
  }
  if (role === 'bashExecution' && values[EXCLUDED] !== true) facts.flags |= FLAG.toolOutput;
  facts.textSize = role === 'bashExecution' ? asNumber(values[COMMAND]) + asNumber(values[OUTPUT]) : text;
  if (role === 'user' && hasWords) facts.flags |= FLAG.startsTurn;
  else if (role === 'user' && text > 0)
    facts.flags |= isMemoryFlush(values[IDEMPOTENCY_KEY]) ? FLAG.systemPart : TOLD_TURN;
  if (role === 'assistant') readAssistant(line, facts);
}

/** Of the message by which OpenBot has an agent save its memories, with `:` and a number behind it: a part of the turn before it. */
export const MEMORY_FLUSH_MARK = 'openbot.memory-flush';

function isMemoryFlush(key: unknown): boolean {
  return typeof key === 'string' && key.startsWith(`${MEMORY_FLUSH_MARK}:`);
}

function readAssistant({ values }: SkimmedLine, facts: LineFacts): void {
  facts.usage = readUsage(values);
  if (values[USAGE_ESTIMATED_BY] === ESTIMATED_BY) facts.flags |= FLAG.estimatedUsage;
  const stopReason = values[STOP_REASON];
  if (stopReason === 'error' || stopReason === 'aborted') facts.flags |= FLAG.failed;
  if (values[MODEL] === 'delivery-mirror') facts.flags |= FLAG.mirror;
  else if (!BY_GATEWAY.has(values[MODEL])) facts.flags |= flagOfModel(values[MODEL]);
}

/** In the place of a model, where the gateway wrote the message: words so far of a run that was stopped, or of another agent. */
const BY_GATEWAY = new Set<unknown>(['gateway-injected', 'acp-runtime']);

function readUsage(values: readonly unknown[]): TokenUsage | undefined {
  const input = values[USAGE_INPUT];
  const output = values[USAGE_OUTPUT];
  const state = values[USAGE_CONTEXT_STATE];
  // It says then that the other figures do not tell the size of the context.
  if (state === 'unavailable') return undefined;
  const contextTotal = state === 'available' ? values[USAGE_CONTEXT_TOTAL] : undefined;
  const total = contextTotal ?? values[USAGE_TOTAL];
  if (input === undefined && output === undefined && total === undefined) return undefined;
  return {
    input: asNumber(input),
    output: asNumber(output),
    cacheRead: asNumber(values[USAGE_CACHE_READ]),
    cacheWrite: asNumber(values[USAGE_CACHE_WRITE]),
    total: asNumber(total),
  };
}

function readOther(line: SkimmedLine, facts: LineFacts): void {
  const { values } = line;
  switch (facts.kind) {
    case 'compaction': {
      facts.target = asRef(values[FIRST_KEPT]);
      const index = values[FIRST_KEPT_INDEX];
      facts.targetIndex = typeof index === 'number' ? index : undefined;
      facts.textSize = asNumber(values[SUMMARY]) + asNumber(values[SYSTEM_TEXT]);
      return;
    }
    case 'reset':
      facts.target = asRef(values[FIRST_KEPT]);
      return;
    case 'leaf':
      readLeafControl(values, facts);
      return;
    case 'branch-summary':
      facts.target = asRef(values[FROM_ID]);
      facts.textSize = asNumber(values[SUMMARY]);
      return;
    case 'label':
      facts.target = asRef(values[TARGET_ID]);
      return;
    case 'context-edit':
      facts.target = asRef(values[TARGET_ID]);
      if (values[REPLACEMENT] === null) facts.flags |= FLAG.removesTarget;
      readReplacement(line, facts);
      return;
    case 'model-change':
      facts.flags |= flagOfModel(values[MODEL_ID]);
      return;
    case 'custom':
      facts.type = asText(values[CUSTOM_TYPE]) ?? asText(values[KEY]) ?? 'custom';
      return;
    case 'custom-message':
      facts.type = asText(values[CUSTOM_TYPE]) ?? 'custom_message';
      facts.textSize = contentSize(line);
      facts.copySize = asNumber(values[DETAILS]);
      return;
  }
}

/** One that says nothing that can be followed is no control. */
function readLeafControl(values: readonly unknown[], facts: LineFacts): void {
  const target = values[TARGET_ID];
  const appendParent = values[APPEND_PARENT_ID] ?? target;
  const mode = values[APPEND_MODE];
  if (typeof target !== 'number' || typeof appendParent !== 'number') return;
  if (mode !== undefined && mode !== 'side') return;
  facts.target = asRef(target);
  facts.control = { target, appendParent };
}

/** All that an edit puts in the place of its target counts as its text: it has no calls and results of its own. */
function readReplacement(line: SkimmedLine, facts: LineFacts): void {
  facts.textSize = contentSize(line);
  for (let i = 0; i < line.rowCount; i++) {
    facts.textSize += asNumber(line.row(i, BLOCK_THINKING));
    const type = line.row(i, BLOCK_TYPE);
    if (type === 'image') facts.imageCount++;
    else if (isCallBlock(type)) {
      const name = asText(line.row(i, BLOCK_NAME)) ?? '';
      facts.textSize += name.length + asNumber(line.row(i, BLOCK_ARGUMENTS) ?? line.row(i, BLOCK_INPUT));
    }
  }
}

function isCallBlock(type: unknown): boolean {
  return type === 'toolCall' || type === 'toolUse' || type === 'functionCall';
}

function contentSize(line: SkimmedLine): number {
  let size = asNumber(line.values[CONTENT]);
  for (let i = 0; i < line.rowCount; i++) size += asNumber(line.row(i, BLOCK_TEXT));
  return size;
}

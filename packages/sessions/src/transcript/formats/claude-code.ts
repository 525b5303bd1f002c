/**
 * Claude Code's transcripts. Lines with a uuid form a tree; one assistant message is several lines, one per block,
 * that repeat its id and usage; results are blocks of user lines; many lines are outside the conversation.
 */
import { FLAG, type TokenUsage } from '../entry.ts';
import { flagOfModel } from '../preserved-thinking.ts';
import { defineShape, NULL_REF, type SkimmedLine, type Spec } from '../skim/shape.ts';
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
import {
  flagOfText,
  isMarkedAsTyped,
  isMessageByProgram,
  isToolOutput,
  TASK_NOTIFICATION,
  TOLD_TURN,
} from './machine-text.ts';

const BLOCK: Spec = {
  fields: {
    type: 'text',
    text: 'head',
    thinking: 'size',
    id: 'ref',
    name: 'text',
    input: 'weight',
    tool_use_id: 'ref',
    is_error: 'flag',
    content: {
      leaf: 'sum',
      as: 'result',
      each: {
        fields: { text: { leaf: 'sum', as: 'result' }, source: { leaf: 'count', as: 'resultImages' } },
      },
    },
  },
};

/** One of the requests that a message took. */
const ITERATION: Spec = {
  leaf: 'present',
  as: 'iteration',
  fields: {
    type: 'text',
    input_tokens: 'number',
    output_tokens: 'number',
    cache_read_input_tokens: 'number',
    cache_creation_input_tokens: 'number',
  },
};

const shape = defineShape({
  fields: {
    type: 'text',
    subtype: 'text',
    uuid: 'ref',
    parentUuid: 'ref',
    logicalParentUuid: 'ref',
    isSidechain: 'flag',
    isMeta: 'flag',
    isCompactSummary: 'flag',
    isVisibleInTranscriptOnly: 'flag',
    isApiErrorMessage: 'flag',
    sessionId: 'text',
    cwd: 'text',
    version: 'text',
    origin: { fields: { kind: 'text' } },
    promptSource: 'text',
    toolUseResult: 'weight',
    rendered: 'weight',
    attachment: {
      fields: { type: 'text', commandMode: 'text', origin: { fields: { kind: 'text' } } },
    },
    content: 'size',
    leafUuid: 'ref',
    messageId: 'ref',
    snapshotMessageId: 'ref',
    isSnapshotUpdate: 'flag',
    explicit: 'flag',
    compactMetadata: {
      fields: {
        preservedMessages: { leaf: 'present', fields: { anchorUuid: 'ref', uuids: { each: 'list' } } },
        preservedSegment: { fields: { headUuid: 'text', anchorUuid: 'ref', tailUuid: 'text' } },
      },
    },
    message: {
      fields: {
        id: 'ref',
        model: 'text',
        content: { leaf: 'head', rows: BLOCK },
        usage: {
          fields: {
            input_tokens: 'number',
            output_tokens: 'number',
            cache_read_input_tokens: 'number',
            cache_creation_input_tokens: 'number',
            estimatedBy: 'text',
            iterations: { rows: ITERATION },
          },
        },
      },
    },
  },
});

const TYPE = shape.slot('type');
const SUBTYPE = shape.slot('subtype');
const UUID = shape.slot('uuid');
const PARENT_UUID = shape.slot('parentUuid');
const LOGICAL_PARENT = shape.slot('logicalParentUuid');
const SIDECHAIN = shape.slot('isSidechain');
const META = shape.slot('isMeta');
const COMPACT_SUMMARY = shape.slot('isCompactSummary');
const TRANSCRIPT_ONLY = shape.slot('isVisibleInTranscriptOnly');
const API_ERROR = shape.slot('isApiErrorMessage');
const SESSION_ID = shape.slot('sessionId');
const CWD = shape.slot('cwd');
const VERSION = shape.slot('version');
const ORIGIN_KIND = shape.slot('origin.kind');
const PROMPT_SOURCE = shape.slot('promptSource');
const TOOL_USE_RESULT = shape.slot('toolUseResult');
const RENDERED = shape.slot('rendered');
const ATTACHMENT_TYPE = shape.slot('attachment.type');
const QUEUED_MODE = shape.slot('attachment.commandMode');
const QUEUED_ORIGIN = shape.slot('attachment.origin.kind');
const SYSTEM_CONTENT = shape.slot('content');
const LEAF_UUID = shape.slot('leafUuid');
const CHECKPOINT_MESSAGE = shape.slot('messageId');
const SNAPSHOT_MESSAGE = shape.slot('snapshotMessageId');
const SNAPSHOT_UPDATE = shape.slot('isSnapshotUpdate');
const EXPLICIT = shape.slot('explicit');
const PRESERVED_MESSAGES = shape.slot('compactMetadata.preservedMessages');
const PRESERVED = shape.slot('compactMetadata.preservedMessages.uuids');
const ANCHOR = shape.slot('compactMetadata.preservedMessages.anchorUuid');
const SEGMENT_HEAD = shape.slot('compactMetadata.preservedSegment.headUuid');
const SEGMENT_TAIL = shape.slot('compactMetadata.preservedSegment.tailUuid');
const SEGMENT_ANCHOR = shape.slot('compactMetadata.preservedSegment.anchorUuid');
const MESSAGE_ID = shape.slot('message.id');
const MODEL = shape.slot('message.model');
const CONTENT = shape.slot('message.content');
const CONTENT_HEAD = shape.slot('message.content^');
const INPUT = shape.slot('message.usage.input_tokens');
const OUTPUT = shape.slot('message.usage.output_tokens');
const CACHE_READ = shape.slot('message.usage.cache_read_input_tokens');
const CACHE_WRITE = shape.slot('message.usage.cache_creation_input_tokens');
const USAGE_ESTIMATED_BY = shape.slot('message.usage.estimatedBy');

const BLOCK_TYPE = shape.rowSlot('type');
const BLOCK_TEXT = shape.rowSlot('text');
const BLOCK_HEAD = shape.rowSlot('text^');
const BLOCK_THINKING = shape.rowSlot('thinking');
const BLOCK_ID = shape.rowSlot('id');
const BLOCK_NAME = shape.rowSlot('name');
const BLOCK_INPUT = shape.rowSlot('input');
const BLOCK_CALL_ID = shape.rowSlot('tool_use_id');
const BLOCK_IS_ERROR = shape.rowSlot('is_error');
const BLOCK_RESULT = shape.rowSlot('result');
const BLOCK_RESULT_IMAGES = shape.rowSlot('resultImages');

const IS_ITERATION = shape.rowSlot('iteration');
const ITERATION_TYPE = shape.rowSlot('type');
const ITERATION_INPUT = shape.rowSlot('input_tokens');
const ITERATION_OUTPUT = shape.rowSlot('output_tokens');
const ITERATION_CACHE_READ = shape.rowSlot('cache_read_input_tokens');
const ITERATION_CACHE_WRITE = shape.rowSlot('cache_creation_input_tokens');

export const claudeCodeDialect: Dialect = {
  name: 'claude-code',
  shape,
  linkFields: { id: 'uuid', parentId: 'parentUuid' },
  read(line, facts) {
    const { values } = line;
    const type = asText(values[TYPE]);
    facts.type = type ?? '';
    const uuid = asRef(values[UUID]);
    if (uuid < 0) {
      facts.kind = type === undefined ? 'unknown' : 'sidecar';
      facts.target = asRef(values[LEAF_UUID]);
      if (type === 'last-prompt' && values[EXPLICIT] === true && values[LEAF_UUID] !== undefined) {
        facts.flags |= FLAG.movesLeaf;
      }
      readCheckpoint(values, facts);
      return;
    }
    facts.id = uuid;
    readParent(values, facts);
    if (values[SIDECHAIN] === true) facts.flags |= FLAG.sidechain;
    if (values[META] === true) facts.flags |= FLAG.meta;
    facts.copySize = asNumber(values[TOOL_USE_RESULT]);
    switch (type) {
      case 'user':
        readUser(line, facts);
        return;
      case 'assistant':
        readAssistant(line, facts);
        return;
      case 'attachment':
        facts.kind = 'attachment';
        facts.type = asText(values[ATTACHMENT_TYPE]) ?? 'attachment';
        facts.textSize = asNumber(values[RENDERED]);
        if (isOutputAttachment(facts.type, values)) facts.flags |= FLAG.toolOutput;
        return;
      case 'system':
        readSystem(values, facts);
        return;
    }
  },
  describe({ values }, facts) {
    if (facts.id < 0) return undefined;
    return {
      version: asText(values[VERSION]),
      id: asText(values[SESSION_ID]),
      cwd: asText(values[CWD]),
      parentSession: undefined,
    };
  },
};

/**
 * A file or a folder that a person named; or the report of a background agent that came while a turn was going on. What a
 * person typed meanwhile is queued in the same form.
 */
function isOutputAttachment(type: string, values: readonly unknown[]): boolean {
  if (type !== 'queued_command') return type === 'file' || type === 'directory';
  return values[QUEUED_MODE] === TASK_NOTIFICATION || values[QUEUED_ORIGIN] === TASK_NOTIFICATION;
}

/**
 * Claude Code takes a file's checkpoint into account when it meets the message that the line names, so that message must
 * be there. The snapshot that begins a turn belongs to a person's message, which always stays.
 */
function readCheckpoint(values: readonly unknown[], facts: LineFacts): void {
  if (facts.type === 'file-history-delta') {
    facts.target = asRef(values[CHECKPOINT_MESSAGE]);
    facts.standIn = asRef(values[SNAPSHOT_MESSAGE]);
  } else if (facts.type === 'file-history-snapshot' && values[SNAPSHOT_UPDATE] === true) {
    facts.target = asRef(values[CHECKPOINT_MESSAGE]);
  }
}

function readParent(values: readonly unknown[], facts: LineFacts): void {
  const parent = (values[PARENT_UUID] as number | undefined) ?? ABSENT;
  const logical = asRef(values[LOGICAL_PARENT]);
  if (parent === NULL_REF && logical >= 0) {
    facts.parentId = logical;
    facts.flags |= FLAG.logicalParent;
  } else facts.parentId = parent;
}

function readSystem(values: readonly unknown[], facts: LineFacts): void {
  const subtype = asText(values[SUBTYPE]);
  facts.type = subtype ?? 'system';
  if (subtype === 'compact_boundary') {
    facts.kind = 'compaction';
    readPreserved(values, facts);
  } else {
    facts.kind = 'system';
    facts.textSize = asNumber(values[SYSTEM_CONTENT]);
    facts.flags |= FLAG.outOfContext;
  }
}

/** What is listed counts; files of older versions have the stretch alone. */
function readPreserved(values: readonly unknown[], facts: LineFacts): void {
  if (values[PRESERVED_MESSAGES] === true) {
    facts.preserved = (values[PRESERVED] as string[] | undefined) ?? [];
    facts.target = asRef(values[ANCHOR]);
    return;
  }
  const head = asText(values[SEGMENT_HEAD]);
  const tail = asText(values[SEGMENT_TAIL]);
  if (head === undefined || tail === undefined) return;
  facts.preserved = { head, tail };
  facts.target = asRef(values[SEGMENT_ANCHOR]);
}

function readUser(line: SkimmedLine, facts: LineFacts): void {
  const { values } = line;
  facts.kind = 'message';
  facts.role = 'user';
  let text = asNumber(values[CONTENT]);
  let written = flagOfText(text, values[CONTENT_HEAD]);
  let hasOther = false;
  let hasOutput = isToolOutput(values[CONTENT_HEAD]);
  for (let i = 0; i < line.rowCount; i++) {
    if (line.row(i, IS_ITERATION) === true) continue;
    const type = line.row(i, BLOCK_TYPE);
    if (type === 'tool_result') {
      facts.role = 'toolResult';
      facts.imageCount += asNumber(line.row(i, BLOCK_RESULT_IMAGES));
      addResult(
        facts,
        line.row(i, BLOCK_CALL_ID),
        '',
        asNumber(line.row(i, BLOCK_RESULT)),
        line.row(i, BLOCK_IS_ERROR) === true,
      );
    } else if (type === 'text') {
      const size = asNumber(line.row(i, BLOCK_TEXT));
      text += size;
      written |= flagOfText(size, line.row(i, BLOCK_HEAD));
      hasOutput ||= isToolOutput(line.row(i, BLOCK_HEAD));
    } else {
      if (type === 'image') {
        facts.imageCount++;
        written = FLAG.startsTurn;
      }
      hasOther = true;
    }
  }
  facts.textSize = text;
  if (hasOutput && !isMarkedAsTyped(values[ORIGIN_KIND], values[PROMPT_SOURCE])) {
    facts.flags |= FLAG.toolOutput;
  }
  if (hasOther && (facts.role === 'toolResult' || facts.imageCount === 0)) facts.flags |= FLAG.otherContent;
  if (values[COMPACT_SUMMARY] === true) facts.flags |= FLAG.compactSummary;
  const byProgram = isMessageByProgram(
    values[META],
    values[COMPACT_SUMMARY],
    values[TRANSCRIPT_ONLY],
    values[ORIGIN_KIND],
  );
  if (facts.role !== 'user') return;
  facts.flags |= byProgram || written === 0 ? FLAG.meta : written & FLAG.startsTurn || TOLD_TURN;
}

function readAssistant(line: SkimmedLine, facts: LineFacts): void {
  const { values } = line;
  facts.kind = 'message';
  facts.role = 'assistant';
  facts.messageId = asRef(values[MESSAGE_ID]);
  facts.textSize = asNumber(values[CONTENT]);
  for (let i = 0; i < line.rowCount; i++) {
    if (line.row(i, IS_ITERATION) === true) continue;
    const type = line.row(i, BLOCK_TYPE);
    if (type === 'tool_use' || type === 'server_tool_use') {
      addCall(facts, line.row(i, BLOCK_ID), line.row(i, BLOCK_NAME), asNumber(line.row(i, BLOCK_INPUT)));
    } else if (type === 'text') facts.textSize += asNumber(line.row(i, BLOCK_TEXT));
    else if (type === 'thinking' || type === 'redacted_thinking') {
      facts.thinkingSize += asNumber(line.row(i, BLOCK_THINKING));
      noteThinking(facts, facts.textSize > 0);
    } else facts.flags |= FLAG.otherContent;
  }
  const isReal = values[API_ERROR] !== true && values[MODEL] !== '<synthetic>';
  facts.flags |= isReal ? flagOfModel(values[MODEL]) : FLAG.failed;
  if (values[USAGE_ESTIMATED_BY] === ESTIMATED_BY) facts.flags |= FLAG.estimatedUsage;
  facts.usage = readUsage(line);
}

/**
 * The figures of the last request, where the message took several; those of the whole message count what was read
 * once for each of them. Requests that served something else than the conversation are passed over.
 */
function readUsage(line: SkimmedLine): TokenUsage | undefined {
  const { values } = line;
  if (values[INPUT] === undefined && values[OUTPUT] === undefined) return undefined;
  const whole: TokenUsage = {
    input: asNumber(values[INPUT]),
    output: asNumber(values[OUTPUT]),
    cacheRead: asNumber(values[CACHE_READ]),
    cacheWrite: asNumber(values[CACHE_WRITE]),
    total: 0,
  };
  if (inputOf(whole) === 0) return whole;
  for (let i = line.rowCount - 1; i >= 0; i--) {
    if (line.row(i, IS_ITERATION) !== true) continue;
    const type = line.row(i, ITERATION_TYPE);
    if (type === 'advisor_message' || type === 'compaction') continue;
    const figures = type === 'message' || type === 'fallback_message' ? readIteration(line, i) : undefined;
    return figures !== undefined && inputOf(figures) > 0 ? figures : whole;
  }
  return whole;
}

/** Undefined where a figure is missing. */
function readIteration(line: SkimmedLine, row: number): TokenUsage | undefined {
  const input = line.row(row, ITERATION_INPUT);
  const output = line.row(row, ITERATION_OUTPUT);
  const cacheRead = line.row(row, ITERATION_CACHE_READ);
  const cacheWrite = line.row(row, ITERATION_CACHE_WRITE);
  if (!isFigure(input) || !isFigure(output) || !isFigure(cacheRead) || !isFigure(cacheWrite))
    return undefined;
  return { input, output, cacheRead, cacheWrite, total: 0 };
}

const isFigure = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function inputOf({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}

/**
 * What an overview of a Claude Code session wants to know of one line: far less than a clean does, so that a file of
 * any length goes by at the speed of its bytes, and nothing of a line is kept.
 */
import { defineShape, type SkimmedLine } from '../skim/shape.ts';
import { wordsBehindSystemPart } from '../system-part.ts';
import { asNumber, asRef, asText, ESTIMATED_BY } from './dialect.ts';
import { isMessageByProgram, isTypedText } from './machine-text.ts';

export interface ClaudeLineFacts {
  /**
   * `person`: what a person typed. `assistant`: a block of a message that a model wrote. `compaction`: a boundary.
   * `other`: everything else that is a JSON object.
   */
  kind: 'person' | 'assistant' | 'compaction' | 'other' | 'broken' | 'oversize' | 'blank';
  /** Off the main conversation: a subagent's. */
  isSidechain: boolean;
  /** Of lines in the chain. */
  cwd: string | undefined;
  gitBranch: string | undefined;
  version: string | undefined;
  slug: string | undefined;
  permissionMode: string | undefined;
  /** The session that the line was copied from. */
  forkedFrom: string | undefined;
  /** What a person calls the session from this line on; empty where the name is taken back. */
  customTitle: string | undefined;
  /** What a model calls it. */
  aiTitle: string | undefined;
  /** Of an assistant's line: the lines of one message share it. */
  messageId: string | undefined;
  /** Of an assistant's line: what the whole message took, as recorded. Undefined where we computed it. */
  usage: MessageUsage | undefined;
}

export interface MessageUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const claudeLineShape = defineShape({
  fields: {
    type: 'text',
    subtype: 'text',
    uuid: 'present',
    isSidechain: 'flag',
    isMeta: 'flag',
    isCompactSummary: 'flag',
    isVisibleInTranscriptOnly: 'flag',
    isApiErrorMessage: 'flag',
    cwd: 'text',
    version: 'text',
    gitBranch: 'text',
    slug: 'text',
    permissionMode: 'text',
    customTitle: 'text',
    aiTitle: 'text',
    origin: { fields: { kind: 'text' } },
    forkedFrom: { fields: { sessionId: 'text' } },
    message: {
      fields: {
        id: 'ref',
        model: 'text',
        content: { leaf: 'head', rows: { fields: { type: 'text', text: 'head' } } },
        usage: {
          fields: {
            input_tokens: 'number',
            output_tokens: 'number',
            cache_read_input_tokens: 'number',
            cache_creation_input_tokens: 'number',
            estimatedBy: 'text',
          },
        },
      },
    },
  },
});

const TYPE = claudeLineShape.slot('type');
const SUBTYPE = claudeLineShape.slot('subtype');
const UUID = claudeLineShape.slot('uuid');
const SIDECHAIN = claudeLineShape.slot('isSidechain');
const META = claudeLineShape.slot('isMeta');
const COMPACT_SUMMARY = claudeLineShape.slot('isCompactSummary');
const TRANSCRIPT_ONLY = claudeLineShape.slot('isVisibleInTranscriptOnly');
const API_ERROR = claudeLineShape.slot('isApiErrorMessage');
const CWD = claudeLineShape.slot('cwd');
const VERSION = claudeLineShape.slot('version');
const BRANCH = claudeLineShape.slot('gitBranch');
const SLUG = claudeLineShape.slot('slug');
const PERMISSION_MODE = claudeLineShape.slot('permissionMode');
const CUSTOM_TITLE = claudeLineShape.slot('customTitle');
const AI_TITLE = claudeLineShape.slot('aiTitle');
const ORIGIN_KIND = claudeLineShape.slot('origin.kind');
const FORKED_FROM = claudeLineShape.slot('forkedFrom.sessionId');
const MESSAGE_ID = claudeLineShape.slot('message.id');
const MODEL = claudeLineShape.slot('message.model');
const CONTENT = claudeLineShape.slot('message.content');
const CONTENT_HEAD = claudeLineShape.slot('message.content^');
const INPUT = claudeLineShape.slot('message.usage.input_tokens');
const OUTPUT = claudeLineShape.slot('message.usage.output_tokens');
const CACHE_READ = claudeLineShape.slot('message.usage.cache_read_input_tokens');
const CACHE_WRITE = claudeLineShape.slot('message.usage.cache_creation_input_tokens');
const ESTIMATED = claudeLineShape.slot('message.usage.estimatedBy');
const BLOCK_TYPE = claudeLineShape.rowSlot('type');
const BLOCK_TEXT = claudeLineShape.rowSlot('text');
const BLOCK_HEAD = claudeLineShape.rowSlot('text^');

/** Uuids do not repeat, and few are asked for: they are no part of every line. */
export const claudeUuidShape = defineShape({ fields: { uuid: 'ref' } });

const UUID_REF = claudeUuidShape.slot('uuid');

/** Text is long, and asked for once. */
export const claudeTextShape = defineShape({
  fields: {
    message: { fields: { content: { leaf: 'text', rows: { fields: { type: 'text', text: 'text' } } } } },
  },
});

const TYPED_CONTENT = claudeTextShape.slot('message.content');
const TYPED_TYPE = claudeTextShape.rowSlot('type');
const TYPED_TEXT = claudeTextShape.rowSlot('text');

export function emptyClaudeLine(): ClaudeLineFacts {
  return {
    kind: 'other',
    isSidechain: false,
    cwd: undefined,
    gitBranch: undefined,
    version: undefined,
    slug: undefined,
    permissionMode: undefined,
    forkedFrom: undefined,
    customTitle: undefined,
    aiTitle: undefined,
    messageId: undefined,
    usage: undefined,
  };
}

export function clearClaudeLine(facts: ClaudeLineFacts): void {
  facts.kind = 'other';
  facts.isSidechain = false;
  facts.cwd = undefined;
  facts.gitBranch = undefined;
  facts.version = undefined;
  facts.slug = undefined;
  facts.permissionMode = undefined;
  facts.forkedFrom = undefined;
  facts.customTitle = undefined;
  facts.aiTitle = undefined;
  facts.messageId = undefined;
  facts.usage = undefined;
}

/** The id of a message as a text, made once for its lines, which mostly follow each other. For one table of strings. */
export class MessageIds {
  #number = -1;
  #text = '';

  read({ values, strings }: SkimmedLine, slot: number): string | undefined {
    const number = asRef(values[slot]);
    if (number < 0) return undefined;
    if (number !== this.#number) {
      this.#number = number;
      this.#text = strings.text(number);
    }
    return this.#text;
  }
}

/** @param facts cleared */
export function readClaudeLine(line: SkimmedLine, facts: ClaudeLineFacts, ids: MessageIds): void {
  const { values } = line;
  const type = values[TYPE];
  if (type === 'user' || type === 'permission-mode') facts.permissionMode = asText(values[PERMISSION_MODE]);
  if (type === 'custom-title') facts.customTitle = asText(values[CUSTOM_TITLE]);
  if (type === 'ai-title') facts.aiTitle = asText(values[AI_TITLE]);
  if (values[UUID] !== true) return;
  facts.isSidechain = values[SIDECHAIN] === true;
  facts.cwd = asText(values[CWD]);
  facts.gitBranch = asText(values[BRANCH]);
  facts.version = asText(values[VERSION]);
  facts.slug = asText(values[SLUG]);
  facts.forkedFrom = asText(values[FORKED_FROM]);
  if (type === 'user') {
    if (isPersons(line)) facts.kind = 'person';
  } else if (type === 'assistant') {
    if (values[API_ERROR] === true || values[MODEL] === '<synthetic>') return;
    facts.kind = 'assistant';
    facts.messageId = ids.read(line, MESSAGE_ID);
    facts.usage = readWholeUsage(values);
  } else if (type === 'system' && values[SUBTYPE] === 'compact_boundary') facts.kind = 'compaction';
}

/** @param line of `claudeUuidShape` */
export function readUuid({ values, strings }: SkimmedLine): string | undefined {
  const number = asRef(values[UUID_REF]);
  return number < 0 ? undefined : strings.text(number);
}

function isPersons(line: SkimmedLine): boolean {
  const { values } = line;
  const byProgram = isMessageByProgram(
    values[META],
    values[COMPACT_SUMMARY],
    values[TRANSCRIPT_ONLY],
    values[ORIGIN_KIND],
  );
  if (byProgram) return false;
  let typed = isTypedText(values[CONTENT], values[CONTENT_HEAD]);
  for (let i = 0; i < line.rowCount; i++) {
    const type = line.row(i, BLOCK_TYPE);
    if (type === 'tool_result') return false;
    if (type === 'image') typed = true;
    else if (type === 'text' && isTypedText(line.row(i, BLOCK_TEXT), line.row(i, BLOCK_HEAD))) typed = true;
  }
  return typed;
}

/**
 * The first text in it that a person typed; empty where there is none.
 * @param line of `claudeTextShape`
 */
export function readTypedText(line: SkimmedLine): string {
  const content = asText(line.values[TYPED_CONTENT]);
  if (content !== undefined && isTypedText(content.length, content)) {
    const words = wordsBehindSystemPart(content);
    if (words !== '') return words;
  }
  for (let i = 0; i < line.rowCount; i++) {
    const text = asText(line.row(i, TYPED_TEXT));
    if (line.row(i, TYPED_TYPE) !== 'text' || text === undefined || text.trim() === '') continue;
    const words = isTypedText(text.length, text) ? wordsBehindSystemPart(text) : '';
    if (words !== '') return words;
  }
  return '';
}

/** Of all requests that the message took: this is what was paid for. */
function readWholeUsage(values: readonly unknown[]): MessageUsage | undefined {
  if (values[ESTIMATED] === ESTIMATED_BY) return undefined;
  return {
    input: asNumber(values[INPUT]),
    output: asNumber(values[OUTPUT]),
    cacheRead: asNumber(values[CACHE_READ]),
    cacheWrite: asNumber(values[CACHE_WRITE]),
  };
}

/**
 * What a line of a transcript is, told from its parsed JSON alone and as plainly as can be. It shares no code with what
 * it judges.
 */
export type Json = Record<string, unknown>;
export type OracleDialect = 'openclaw' | 'claude-code';

export interface OracleLine {
  readonly index: number;
  /** Undefined for a line that is no JSON object. */
  readonly value: Json | undefined;
  readonly id: string | undefined;
  /** null: a root. undefined: the line names none. */
  readonly parentId: string | null | undefined;
  readonly inTree: boolean;
  readonly isSidechain: boolean;
  readonly isMessage: boolean;
  readonly role: string;
  readonly startsTurn: boolean;
  /** Lines of one message share it. */
  readonly messageId: string | undefined;
  readonly calls: readonly Json[];
  /** Ids of the calls that the line answers. */
  readonly results: readonly unknown[];
  /** Texts of a person or of the assistant. */
  readonly texts: readonly string[];
  readonly thinking: number;
}

type Facts = Omit<OracleLine, 'index' | 'value'>;

const EMPTY: Facts = {
  id: undefined,
  parentId: undefined,
  inTree: false,
  isSidechain: false,
  isMessage: false,
  role: '',
  startsTurn: false,
  messageId: undefined,
  calls: [],
  results: [],
  texts: [],
  thinking: 0,
};

export function readLine(text: string, index: number, dialect: OracleDialect): OracleLine {
  const value = parseObject(text);
  if (value === undefined) return { ...EMPTY, index, value };
  const facts = dialect === 'openclaw' ? readOpenClaw(value) : readClaude(value);
  return { ...facts, index, value };
}

/** @param text one byte a character */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'latin1').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** The message of a line of OpenClaw or pi: in `message`, or the line itself. */
export function messageOf(value: Json): Json | undefined {
  if (isObject(value.message)) return value.message;
  const role = value.type ?? value.role;
  return ['user', 'assistant', 'toolResult'].includes(role as string) ? { ...value, role } : undefined;
}

const WITHOUT_ID = [
  ...['compaction', 'branch_summary', 'custom', 'custom_message', 'label', 'model_change', 'session_info'],
  ...['thinking_level_change', 'context_edit', 'usage', 'reset'],
];

function readOpenClaw(value: Json): Facts {
  if (value.type === 'session') return EMPTY;
  const message = messageOf(value);
  const role = String(message?.role ?? '');
  const blocks = blocksOf(message?.content);
  const texts = textsOf(message?.content);
  const id = typeof value.id === 'string' ? value.id : undefined;
  return {
    id,
    parentId: value.parentId as string | null | undefined,
    inTree: id !== undefined || message !== undefined || WITHOUT_ID.includes(value.type as string),
    isSidechain: false,
    isMessage: message !== undefined,
    role,
    startsTurn: role === 'user' && (texts.some((text) => text !== '') || blocks.some(isImage)),
    messageId: undefined,
    calls: blocks.filter(isCall),
    results: role === 'toolResult' ? [message?.toolCallId] : [],
    texts: role === 'user' || role === 'assistant' ? texts : [],
    thinking: blocks.filter(({ type }) => type === 'thinking').length,
  };
}

function readClaude(value: Json): Facts {
  if (typeof value.uuid !== 'string') return EMPTY;
  const message = isObject(value.message) ? value.message : {};
  const blocks = blocksOf(message.content);
  const results = value.type === 'user' ? blocks.filter(({ type }) => type === 'tool_result') : [];
  const isMessage = value.type === 'user' || value.type === 'assistant';
  const texts = isMessage ? textsOf(message.content) : [];
  const typed = texts.some((text) => text !== '' && !/^<(command-name|system-reminder)>/.test(text));
  const byProgram =
    value.isMeta === true ||
    value.isCompactSummary === true ||
    (value.origin as Json)?.kind === 'task-notification';
  const role = results.length > 0 ? 'toolResult' : value.type === 'user' ? 'user' : String(value.type);
  return {
    id: value.uuid,
    parentId: (value.parentUuid ?? value.logicalParentUuid ?? value.parentUuid) as string | null | undefined,
    inTree: true,
    isSidechain: value.isSidechain === true,
    isMessage,
    role,
    startsTurn: role === 'user' && (typed || blocks.some(isImage)) && !byProgram,
    messageId: value.type === 'assistant' && typeof message.id === 'string' ? message.id : undefined,
    calls: value.type === 'assistant' ? blocks.filter(isCall) : [],
    results: results.map((block) => block.tool_use_id),
    texts,
    thinking: blocks.filter(isThinking).length,
  };
}

export function blocksOf(content: unknown): Json[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return blocksOf(content)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => String(text));
}

export function isCall({ type }: Json): boolean {
  return ['toolCall', 'toolUse', 'functionCall', 'tool_use', 'server_tool_use'].includes(type as string);
}

/** Thinking in Claude Code's words, and what belongs to a call of a tool that the provider runs itself. */
export function isThinking({ type }: Json): boolean {
  return ['thinking', 'redacted_thinking', 'web_search_tool_result'].includes(type as string);
}

function isImage({ type }: Json): boolean {
  return type === 'image';
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

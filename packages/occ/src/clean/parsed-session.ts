/** A session as parsed lines, for callers that hold it in memory. Fields that are not named here are carried. */

export interface SessionHeader {
  type: 'session';
  version?: string | number;
  id: string;
  timestamp: string;
  cwd: string;
}

export interface TextBlock {
  type: 'text';
  text: string;
}

export interface ToolCallBlock {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

export type ContentBlock = TextBlock | ToolCallBlock;

export type MessageRole = 'user' | 'assistant' | 'toolResult';

export interface ConversationMessage {
  role: MessageRole;
  content: ContentBlock[] | string;
  /** Of assistant messages, as the next four. */
  api?: string;
  provider?: string;
  model?: string;
  stopReason?: string;
  usage?: UsageInfo;
  /** Of tool results. */
  toolCallId?: string;
}

export interface MessageEntry {
  type: 'message';
  /** In a tree, as the next. */
  id?: string;
  parentId?: string | null;
  timestamp: number | string;
  message: ConversationMessage;
}

/** One line of a session. Not the entry of an index. */
export type SessionEntry = SessionHeader | MessageEntry;

export interface UsageInfo {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

/** A session with its header apart. */
export interface ParsedSession {
  header: SessionHeader;
  messages: MessageEntry[];
  filePath: string;
}

/** What the index knows of a session, as far as it matters here. */
export interface SessionIndexEntry {
  sessionId: string;
  /** Milliseconds. */
  updatedAt: number;
  sessionFile?: string;
  displayName?: string;
  label?: string;
}

/** The index: entries by session key. */
export type SessionsIndex = Record<string, SessionIndexEntry>;

/** What a line is, in words that hold for every dialect. */
export const KINDS = [
  'header',
  'message',
  'compaction',
  'branch-summary',
  'custom',
  'custom-message',
  'label',
  'model-change',
  'thinking-level-change',
  'session-info',
  'context-edit',
  'usage',
  'reset',
  /** Moves the leaf: what comes next hangs from its target. */
  'leaf',
  'attachment',
  'system',
  /** Belongs to the session but not to the conversation: it has no place in the tree. */
  'sidecar',
  /** JSON that no dialect here understands. */
  'unknown',
  /** Not a JSON object; the last line of a file may be so because its writer was killed. */
  'broken',
  /** Longer than MAX_LINE_BYTES: carried; of its content at most its place in the tree is known. */
  'oversize',
  'blank',
] as const;
export type EntryKind = (typeof KINDS)[number];

/** Whether a line without an id still has its place in a linear transcript. */
export function isConversation(kind: EntryKind): boolean {
  return (
    kind !== 'header' &&
    kind !== 'sidecar' &&
    kind !== 'broken' &&
    kind !== 'oversize' &&
    kind !== 'blank' &&
    kind !== 'unknown'
  );
}

export const ROLES = [
  'none',
  'user',
  'assistant',
  'toolResult',
  'system',
  'custom',
  'bashExecution',
  'other',
] as const;
export type EntryRole = (typeof ROLES)[number];

/** Facts about an entry that are either so or not; a bit each. */
export const FLAG = {
  /** A turn begins here: a person's text, or what the runtime of the agent asks by itself. */
  startsTurn: 1 << 0,
  /** Written by the program in a person's name: reminders, command output, notifications. */
  meta: 1 << 1,
  /** Off the main conversation: a subagent's. */
  sidechain: 1 << 2,
  /** The summary that replaces compacted messages. */
  compactSummary: 1 << 3,
  /** An assistant message that no model wrote, or that failed: its usage says nothing. */
  failed: 1 << 4,
  /** Copied into the transcript from a channel: no model wrote it. */
  mirror: 1 << 5,
  /** `usage` was computed by us, not recorded by a provider. */
  estimatedUsage: 1 << 6,
  /** Never sent to the model. */
  outOfContext: 1 << 7,
  /** The link to the parent is a logical one: the line says its parent is null. */
  logicalParent: 1 << 8,
  /** The line does not name a parent at all; it follows the line before it. */
  noParentField: 1 << 9,
  /** A context edit that takes its target out of the context. */
  removesTarget: 1 << 10,
  /** Another line further down has the same id. */
  duplicate: 1 << 11,
  /** Holds thinking, perhaps without any text of it. */
  thinking: 1 << 12,
  /** Holds content that no size counts: blocks of an unknown kind, or images beside results. */
  otherContent: 1 << 13,
  /** A note that moves the leaf to its target, whatever was said after that; without a target, to the very beginning. */
  movesLeaf: 1 << 14,
  /** Beside the conversation: it does not become the leaf. */
  sideAppend: 1 << 15,
  /** Has a field `message`, whatever is in it. */
  hasMessage: 1 << 16,
  /** Holds thinking, and nothing before it reaches the model. */
  beginsWithThinking: 1 << 17,
  /** Holds output of a tool in a person's place: of a command, a background agent, a file that was named. */
  toolOutput: 1 << 18,
  /** Names a model that binds thinking to what was said before it. */
  boundModel: 1 << 19,
  /** Names another model. */
  otherModel: 1 << 20,
  /** Written by the runtime of the agent in a person's place: the model answers it, and no words in it are a person's. */
  systemPart: 1 << 21,
  /** Holds thinking behind a call: it is not before what is cut off where the call is shortened. */
  thinksBehindCall: 1 << 22,
} as const;

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** As recorded; 0 where the dialect has no such figure. */
  readonly total: number;
}

export interface ToolCallRef {
  readonly id: string;
  readonly name: string;
  /** What the arguments weigh in the context, in characters. */
  readonly size: number;
}

export interface ToolResultRef {
  readonly callId: string;
  readonly name: string | undefined;
  /** The length of the result's text, in characters. */
  readonly size: number;
  readonly isError: boolean;
}

/** One line of a transcript, in no dialect's own words. Made on demand; a Transcript holds columns. */
export interface TranscriptEntry {
  readonly index: number;
  /** Counted from 1. */
  readonly line: number;
  /** Where the line's bytes are, without its line end. */
  readonly start: number;
  readonly end: number;
  readonly kind: EntryKind;
  /** The dialect's own word for it: `message`, `custom` with its custom type, `system` with its subtype. */
  readonly type: string;
  readonly id: string | undefined;
  /** null: a root. undefined: the line names none. */
  readonly parentId: string | null | undefined;
  readonly role: EntryRole;
  readonly flags: number;
  readonly toolCalls: readonly ToolCallRef[];
  readonly toolResults: readonly ToolResultRef[];
  readonly usage: TokenUsage | undefined;
  /**
   * Characters of text, thinking, and of second copies that never reach the model (details, toolUseResult,
   * partialArgs).
   */
  readonly textSize: number;
  readonly thinkingSize: number;
  readonly copySize: number;
  readonly imageCount: number;
  /** The entry that this one points at: the first kept one of a compaction or reset, the target of a label, edit or leaf. */
  readonly target: string | undefined;
  /** Lines of one message share it (Claude Code writes one line per block). */
  readonly messageId: string | undefined;
}

/** The first line of a transcript that describes it, or what its lines say of it where there is no such line. */
export interface TranscriptHeader {
  readonly version: string | number | undefined;
  readonly id: string | undefined;
  readonly cwd: string | undefined;
  readonly parentSession: string | undefined;
}

/** The leaf of a conversation, by the rules of OpenClaw. */
export interface LeafState {
  /** The last entry that is part of it, or NO_PARENT. */
  readonly leaf: number;
  /** A line moved the leaf. */
  readonly hasLeafControl: boolean;
  /** A line moves the leaf to an entry that is not there. */
  readonly hasInvalidLeafControl: boolean;
}

/** What an image weighs: it costs what it shows, not what its base64 text is long. */
export const IMAGE_CHARACTERS = 4800;

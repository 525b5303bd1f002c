/** `@openbot/sessions/transcript`: what is in a transcript, and transcripts as files. */

// Entries, tree and turns

export { TranscriptBuilder } from '../transcript/builder.ts';
export {
  FLAG,
  type TokenUsage,
  type ToolCallRef,
  type ToolResultRef,
  type TranscriptHeader,
} from '../transcript/entry.ts';
export type { DialectName } from '../transcript/formats/dialect.ts';
export { LineSplitter } from '../transcript/lines.ts';
export { DANGLING } from '../transcript/transcript.ts';
export { childrenOf, leafOf } from '../transcript/tree/tree.ts';
export { hasTools, type Turn } from '../transcript/tree/turns.ts';

// What the model reads

export { type Context, contextOf } from '../transcript/context/context.ts';
export {
  answeredIdsOf,
  callIdsOf,
  type ModelMessage,
  modelMessagesOf,
  sideOf,
} from '../transcript/context/model-messages.ts';
export { findRefusals, type Refusal } from '../transcript/context/provider-rules.ts';

// Models that bind thinking

export { MEMORY_FLUSH_MARK } from '../transcript/formats/openclaw.ts';
export { bindsThinking, findNewestModel, hasBoundThinking } from '../transcript/preserved-thinking.ts';

// Token figures

export {
  type Calibration,
  type ContextSize,
  contextCharacters,
  estimateTokens,
  measureContext,
  type TokenBasis,
} from '../transcript/context/tokens.ts';
export { IMAGE_CHARACTERS } from '../transcript/entry.ts';

// Text

export {
  extractSessionText,
  extractSpokenText,
  formatSpokenText,
  type SpokenText,
} from '../transcript/extract.ts';
export { splitSystemPart, wordsBehindSystemPart } from '../transcript/system-part.ts';

// A line as a reader understands it

export type { MessageBlock } from '../transcript/view/blocks.ts';
export {
  type LineMessage,
  type LineUsage,
  readLineMessage,
  type Speaker,
} from '../transcript/view/line-message.ts';
export { textsOf } from '../transcript/view/texts-of.ts';

// New lines

export {
  composeDeliveryMirror,
  composeEntry,
  composeHeader,
  composeLine,
  composeUserMessage,
  type EntryDraft,
  type TranscriptMessage,
} from '../transcript/compose.ts';

// Files

export { openTranscriptForAppend, type TranscriptAppender } from '../transcript-file/append.ts';
export { examineTranscript, type TranscriptCondition } from '../transcript-file/condition.ts';
export { ensureTranscript } from '../transcript-file/create.ts';
export { readFileEnds, readFileLinesBackwards, readFileStart } from '../transcript-file/file-parts.ts';
export { repairTranscriptHeader } from '../transcript-file/header.ts';
export { withTranscriptLock } from '../transcript-file/lock.ts';
export { scanOpenTranscript } from '../transcript-file/scan.ts';
export {
  buildSessionFileEntry,
  listSessionFiles,
  type SessionFileEntry,
} from '../transcript-file/session-file-entry.ts';

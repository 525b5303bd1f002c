/** `@openbot/sessions/lines`: to go through transcripts line by line and keep nothing of them. */
export type {
  ClaudeLineFacts,
  MessageUsage,
} from '../transcript/formats/claude-code-line.ts';
export {
  type ClaudeLine,
  ClaudeLineReader,
  type ClaudeLineVisitor,
  type ClaudeTitles,
  type LineRange,
  resolveClaudeTitle,
  withOpenTranscript,
} from '../transcript-file/claude-line-reader.ts';

// The ends of a transcript

export { findClaudeCodeFigure } from '../transcript/ends/claude-code-figure.ts';
export { findFirstWords, shortenWords, splitOriginMarker } from '../transcript/ends/first-words.ts';
export type { ContextFigure, FigureSearch } from '../transcript/ends/last-figure.ts';
export { findOpenclawFigure } from '../transcript/ends/openclaw-figure.ts';
export { hideSecrets } from '../transcript/redact/hide-secrets.ts';

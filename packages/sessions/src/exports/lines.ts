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

/** `@openbot/sessions/rewrite`: to change lines of a transcript and leave every other byte as it is. */

// Plans over entries

export { planLoweredUsage } from '../transcript/rewrite/lower-usage.ts';
export { planRelinking } from '../transcript/rewrite/relink.ts';

// JSON as text

export {
  type ElementSpan,
  findMember,
  isArrayAt,
  isObjectAt,
  isStringAt,
  listElements,
  listMembers,
  type MemberSpan,
  seekArray,
  seekMembers,
  skipSpace,
} from '../transcript/rewrite/json-text.ts';
export { asciiJson, fromByteText, toByteText } from '../transcript/rewrite/splice.ts';

// Changes of a line

export { lowerUsage } from '../transcript/rewrite/lower-usage.ts';
export { relinkedFieldsOf } from '../transcript/rewrite/relinked-fields.ts';
export { type FieldValue, replaceTopLevelFields, Splice } from '../transcript/rewrite/splice.ts';

// Files

export { LineCopier } from '../transcript-file/copy-lines.ts';
export { insertLines, replaceTranscript } from '../transcript-file/replace-transcript.ts';
export { SourceChanged } from '../transcript-file/source-windows.ts';

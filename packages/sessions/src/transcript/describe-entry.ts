import type { EntryKind, TranscriptEntry } from './entry.ts';
import type { Transcript } from './transcript.ts';

/** One line of a transcript as an object. */
export function describeEntry(transcript: Transcript, index: number): TranscriptEntry {
  return {
    index,
    line: index + 1,
    start: transcript.startOf(index),
    end: transcript.endOf(index),
    kind: transcript.kindOf(index),
    type: transcript.typeOf(index),
    id: transcript.idOf(index),
    parentId: transcript.parentIdOf(index),
    role: transcript.roleOf(index),
    flags: transcript.flagsOf(index),
    toolCalls: transcript.callsOf(index),
    toolResults: transcript.resultsOf(index),
    usage: transcript.usageOf(index),
    textSize: transcript.textSizeOf(index),
    thinkingSize: transcript.thinkingSizeOf(index),
    copySize: transcript.copySizeOf(index),
    imageCount: transcript.imageCountOf(index),
    target: transcript.targetOf(index),
    messageId: transcript.messageIdOf(index),
  };
}

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

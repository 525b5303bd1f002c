import { activePath, type Transcript } from '@openbot/sessions';
import { contextOf } from '@openbot/sessions/transcript';
import type { ContextMessage } from './contract.ts';
import { messageOfLine } from './line-message.ts';

/** @param readBytes of the transcript that was scanned */
export async function contextMessages(
  transcript: Transcript,
  readBytes: (start: number, end: number) => Buffer | Promise<Buffer>,
): Promise<ContextMessage[]> {
  const { entries, edits } = contextOf(transcript, activePath(transcript).entries);
  const lineOf = (index: number) => readBytes(transcript.startOf(index), transcript.endOf(index));
  const messages: ContextMessage[] = [];
  for (const index of entries) {
    const edit = edits.get(index);
    const message = messageOfLine(await lineOf(index), edit === undefined ? undefined : await lineOf(edit));
    if (message === undefined) continue;
    const entryId = transcript.kindOf(index) === 'compaction' ? undefined : transcript.idOf(index);
    messages.push(entryId === undefined ? { message } : { entryId, message });
  }
  return messages;
}

import { activePath, type Transcript } from '@openbot/sessions';
import { contextOf } from '@openbot/sessions/transcript';
import { type ContextMessage, PREFIX_MARK, REFUSED_IMAGES_MARK, type RefusedImages } from './contract.ts';
import { isObject, messageOfLine, parse } from './line-message.ts';

type ReadLine = (index: number) => Buffer | Promise<Buffer>;

/** @param readBytes of the transcript that was scanned */
export async function contextMessages(
  transcript: Transcript,
  readBytes: (start: number, end: number) => Buffer | Promise<Buffer>,
): Promise<ContextMessage[]> {
  const path = activePath(transcript).entries;
  const { entries, edits, cutBy = -1 } = contextOf(transcript, path);
  const readLine: ReadLine = (index) => readBytes(transcript.startOf(index), transcript.endOf(index));
  const said: { readonly index: number; readonly message: ContextMessage }[] = [];
  for (const index of entries) {
    const edit = edits.get(index);
    const message = messageOfLine(
      await readLine(index),
      edit === undefined ? undefined : await readLine(edit),
    );
    if (message === undefined) continue;
    const entryId = transcript.kindOf(index) === 'compaction' ? undefined : transcript.idOf(index);
    said.push({ index, message: entryId === undefined ? { message } : { entryId, message } });
  }
  const from = path.indexOf(entries.find((index) => index !== cutBy) ?? cutBy);
  const marks = await readMarks(transcript, path.slice(Math.max(from, 0)), readLine);
  return said.map(({ index, message }) => {
    let marked = message;
    // What a cut kept was said behind the messages that were cut off.
    if (index < cutBy || isBehindEdit(index, edits)) marked = { ...message, isBehindChange: true };
    for (const mark of marks) if (index < mark.index) marked = mark.apply(marked);
    return marked;
  });
}

function isBehindEdit(index: number, edits: ReadonlyMap<number, number>): boolean {
  for (const [target, edit] of edits) if (target <= index && index < edit) return true;
  return false;
}

export type ApplyMark = (before: ContextMessage) => ContextMessage;

async function readMarks(transcript: Transcript, path: readonly number[], readLine: ReadLine) {
  const marks: { readonly index: number; readonly apply: ApplyMark }[] = [];
  for (const index of path) {
    if (transcript.kindOf(index) !== 'custom') continue;
    const apply = readMark(parse(await readLine(index)));
    if (apply !== undefined) marks.push({ index, apply });
  }
  return marks;
}

/** What a line says of the messages before it. */
export function readMark(line: Record<string, unknown> | undefined): ApplyMark | undefined {
  if (line?.type !== 'custom') return undefined;
  if (line.customType === PREFIX_MARK) return (message) => ({ ...message, isBehindChange: true });
  if (line.customType !== REFUSED_IMAGES_MARK || !isObject(line.data)) return undefined;
  const { by } = line.data as Partial<RefusedImages>;
  if (typeof by !== 'string') return undefined;
  return (message) => ({ ...message, imagesRefusedBy: [...(message.imagesRefusedBy ?? []), by] });
}

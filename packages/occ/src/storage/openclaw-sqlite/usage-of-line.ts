import {
  findMember,
  fromByteText,
  isObjectAt,
  listMembers,
  Splice,
  skipSpace,
  toByteText,
} from '@openbot/sessions/rewrite';
import { messageOf } from '../../clean/rewrite-line.ts';

/** The JSON of a message's usage, as it stands in its line. */
export function readUsage(line: Buffer): string | undefined {
  const text = line.toString('latin1');
  const place = findUsage(text);
  return place && fromByteText(text.slice(place.start, place.end));
}

/** The line with another usage, otherwise byte for byte as it was. */
export function putUsage(line: Buffer, usage: string): Buffer {
  const text = line.toString('latin1');
  const place = findUsage(text);
  if (place === undefined) return line;
  const splice = new Splice(text);
  splice.replace(place.start, place.end, toByteText(usage));
  return Buffer.from(splice.toString(), 'latin1');
}

function findUsage(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = skipSpace(text, 0);
  return isObjectAt(text, start) ? findMember(messageOf(text, listMembers(text, start)), 'usage') : undefined;
}

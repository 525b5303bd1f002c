import type { Transcript } from '@openbot/sessions';
import { describeLine } from '../../rewrite/line-looks.ts';

/** Stands for the header, which every state of a session has. */
export const HEADER = 'header';

/** The lines of a transcript by what no rewrite changes. */
export interface IdentifiedLines {
  identityOf(index: number): string;
  indexOf(identity: string): number | undefined;
}

/** A line is known by its id, and one without by what it is and when it was said. */
export function identifyLines(transcript: Transcript, readBytes: (index: number) => Buffer): IdentifiedLines {
  const identities = new Map<number, string>();
  const indices = new Map<string, number>();
  for (let index = 0; index < transcript.length; index++) {
    const isHeader = transcript.kindOf(index) === 'header';
    if (!isHeader && transcript.idOf(index) !== undefined) continue;
    // A session that was put together from others has theirs too.
    const isOwnHeader = isHeader && !indices.has(HEADER);
    const identity = isOwnHeader ? HEADER : countUp(indices, describeLine(readBytes(index)).text);
    identities.set(index, identity);
    if (!indices.has(identity)) indices.set(identity, index);
  }
  return {
    identityOf: (index) => identities.get(index) ?? `${WITH_ID}${transcript.idOf(index)}`,
    indexOf: (identity) =>
      identity.startsWith(WITH_ID)
        ? transcript.indexOf(identity.slice(WITH_ID.length))
        : indices.get(identity),
  };
}

const WITH_ID = 'id ';

/** The second and later lines that look alike are told apart by their order. */
function countUp(taken: ReadonlyMap<string, number>, looks: string): string {
  let identity = `line ${looks}`;
  for (let count = 2; taken.has(identity); count++) identity = `line ${count} ${looks}`;
  return identity;
}

/** Every column that has the number of a line. */
const NUMBERS = [
  ['transcript_events', 'seq'],
  ['transcript_event_identities', 'seq'],
  ['session_transcript_active_events', 'event_seq'],
  ['session_transcript_index_state', 'indexed_seq'],
] as const;

/** Statements that change the numbers of the lines between two of them. The new ones must be none of the old. */
export function renumber(from: number, to: number, by: string): string[] {
  return NUMBERS.map(
    ([table, seq]) => `UPDATE ${table} SET ${seq} = ${seq} ${by} WHERE ${seq} BETWEEN ${from} AND ${to}`,
  );
}

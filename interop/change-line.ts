/** Changes one line of a session by hand, behind OpenClaw's back: for controls that show what a wrong history leads to. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databasePath, readStoredSession } from './agent-database.ts';
import type { Stage } from './stage.ts';

export interface Line {
  readonly id?: string;
  readonly message?: { role?: string; content?: unknown };
}

/** The last line that `isIt` takes. */
export function changeLine(
  stage: Stage,
  key: string,
  isIt: (line: Line) => boolean,
  change: (line: Line) => void,
): void {
  if (stage.era === 'sqlite') changeEvent(stage.home.state, key, isIt, change);
  else changeInFile(stage.home.state, key, isIt, change);
}

function changeInFile(
  state: string,
  key: string,
  isIt: (line: Line) => boolean,
  change: (line: Line) => void,
): void {
  const folder = join(state, 'agents/main/sessions');
  const store = JSON.parse(readFileSync(join(folder, 'sessions.json'), 'utf8')) as Record<
    string,
    { sessionId: string }
  >;
  const path = join(folder, `${store[key]?.sessionId}.jsonl`);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as Line);
  const at = parsed.findLastIndex(isIt);
  const line = parsed[at];
  if (line === undefined) throw new Error('there is no such line');
  change(line);
  lines[at] = JSON.stringify(line);
  writeFileSync(path, `${lines.join('\n')}\n`);
}

function changeEvent(
  state: string,
  key: string,
  isIt: (line: Line) => boolean,
  change: (line: Line) => void,
): void {
  const session = readStoredSession(state, key);
  const seq = session?.events.findLastIndex((event) => isIt(event)) ?? -1;
  const event = session?.events[seq];
  if (session === undefined || event === undefined) throw new Error('there is no such line');
  change(event);
  const json = JSON.stringify(event);
  using database = new DatabaseSync(databasePath(state), { timeout: 5000 });
  database
    .prepare(
      `UPDATE transcript_events SET event_json = ?, event_zstd = NULL, navigation_json = NULL, event_utf8_bytes = ?
       WHERE session_id = ? AND seq = ?`,
    )
    .run(json, Buffer.byteLength(json), session.id, seq);
}

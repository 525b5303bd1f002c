import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { generateEvents } from '../packages/sessions/test/openclaw-db/setup/compose-turns.ts';
import { makeAgentDatabase } from '../packages/sessions/test/openclaw-db/setup/make-database.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder, MEGABYTE, OCC, peakOf, runNode } from './occ-command.ts';

const PEER = fileURLToPath(new URL('./children/rewrite-rows.ts', import.meta.url));
const BYTES = 50_000_000;
const SESSIONS = 6;
const ROUNDS = 5;
const MOST_MEMORY = 200 * MEGABYTE;

/** Against what no way of doing it can leave out: the backup on disk, and the same rows changed by plain SQL. */
export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const source = join(folder, 'source.sqlite');
    const sessionId = makeDatabase(source);
    const stateDir = join(folder, 'state');
    const path = join(stateDir, 'agents', 'main', 'agent', 'openclaw-agent.sqlite');
    const place = async () => {
      await rm(stateDir, { recursive: true, force: true });
      await mkdir(dirname(path), { recursive: true });
      await copyToDisk(source, path);
    };
    const edit = [OCC, 'edit', sessionId, '--strip-tools', '--state-dir', stateDir];
    const env = { HOME: folder };
    let [ours, peer] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const changes = join(folder, 'changes.json');
    for (let round = 0; round < ROUNDS; round++) {
      await place();
      ours = Math.min(ours, (await runNode(edit, { env })).ms);
      if (round === 0) await writeFile(changes, JSON.stringify(listChanges(source, path, sessionId)));
      await place();
      const told = await runNode([PEER, path, sessionId, changes, join(folder, 'backup.jsonl')]);
      peer = Math.min(peer, Number(told.stdout));
    }
    await place();
    const peak = await peakOf(edit, env);
    return [
      {
        name: 'occ edit --strip-tools of a 50 MB session in a 200 MB database, whole command, against a synced backup and the same rows by plain SQL',
        ours: `${ours.toFixed(0)} ms`,
        peer: `${peer.toFixed(0)} ms`,
        ratio: ours / peer,
        limit: 3,
        better: 'lower',
      },
      {
        name: 'peak memory of that edit, against 200 MB',
        ours: `${(peak / MEGABYTE).toFixed(0)} MB`,
        peer: '200 MB',
        ratio: peak / MOST_MEMORY,
        limit: 1,
        better: 'lower',
      },
    ];
  });
}

function makeDatabase(path: string): string {
  const made = makeAgentDatabase(path, {
    sessions: Array.from({ length: SESSIONS }, (_, number) => ({
      key: `agent:main:s${number}`,
      events: generateEvents({ seed: number + 1, bytes: BYTES }),
    })),
  });
  return made[0]!.sessionId;
}

/** What the edit did to the rows. */
function listChanges(before: string, after: string, sessionId: string) {
  const read = (path: string) => {
    const database = new DatabaseSync(path);
    try {
      const rows = database
        .prepare(
          'SELECT seq, event_json AS json, event_zstd AS zstd FROM transcript_events WHERE session_id = ?',
        )
        .all(sessionId) as { seq: number; json: string | null; zstd: Uint8Array | null }[];
      return new Map(rows.map((row) => [row.seq, row]));
    } finally {
      database.close();
    }
  };
  const [old, now] = [read(before), read(after)];
  const removed = [...old.keys()].filter((seq) => !now.has(seq));
  const replaced = [...now].filter(([seq, row]) => row.zstd === null && row.json !== old.get(seq)!.json);
  if (removed.length < old.size / 4) throw new Error('the session was not cleaned');
  return { removed, replaced: replaced.map(([seq, { json }]) => [seq, json]) };
}

async function copyToDisk(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r+');
  await file.sync();
  await file.close();
}

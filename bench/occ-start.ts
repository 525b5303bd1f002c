import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { againstNode } from './against-node.ts';
import { generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder, OCC } from './occ-command.ts';
import { makeEntry } from './store-fixture.ts';

const ROUNDS = 15;

/** A state folder with many sessions of 1 MB each, all in the index. */
async function placeSessions(stateDir: string, count: number): Promise<void> {
  const sessions = join(stateDir, 'agents', 'main', 'sessions');
  await mkdir(sessions, { recursive: true, mode: 0o700 });
  const source = join(stateDir, 'source');
  await generateTranscript(source, 1_000_000, { mixed: true });
  const bytes = await readFile(source);
  const lines = bytes.subarray(bytes.indexOf(0x0a));
  const header = JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(0x0a)));
  const store: Record<string, object> = {};
  for (let index = 0; index < count; index++) {
    const entry = makeEntry(index);
    const path = join(sessions, `${entry.sessionId}.jsonl`);
    store[`agent:main:telegram:dm:${index}`] = { ...entry, sessionFile: path };
    await writeFile(
      path,
      Buffer.concat([Buffer.from(JSON.stringify({ ...header, id: entry.sessionId })), lines]),
    );
  }
  await writeFile(join(sessions, 'sessions.json'), JSON.stringify(store, null, 2));
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const command = { program: 'occ', path: OCC, home: folder, rounds: ROUNDS };
    const [few, many] = [join(folder, 'few'), join(folder, 'many')];
    await placeSessions(few, 20);
    await placeSessions(many, 2000);
    return [
      await againstNode(command, '--help', ['--help'], 1.6),
      await againstNode(command, 'list of 20 sessions', ['list', '--state-dir', few], 1.6),
      await againstNode(command, 'list of 2,000 sessions of 1 MB', ['list', '--state-dir', many], 3),
    ];
  });
}

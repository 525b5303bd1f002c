/** What a person waits for before `openbot` does anything: its start, and what a shell asks at Tab. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { againstNode } from './against-node.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { keyOf, makeEntry } from './store-fixture.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
const ROUNDS = 25;
const SESSIONS = 2000;

async function placeStore(stateDir: string): Promise<void> {
  const sessions = join(stateDir, 'agents', 'main', 'sessions');
  await mkdir(sessions, { recursive: true, mode: 0o700 });
  const entries = Array.from({ length: SESSIONS }, (_, index) => [keyOf(index), makeEntry(index)]);
  await writeFile(join(sessions, 'sessions.json'), JSON.stringify(Object.fromEntries(entries), null, 2));
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const command = { program: 'openbot', path: OPENBOT, home: folder, rounds: ROUNDS };
    const stateDir = join(folder, 'state');
    await placeStore(stateDir);
    return [
      await againstNode(command, '--help', ['--help'], 1.3),
      await againstNode(command, 'help environment', ['help', 'environment'], 1.4),
      await againstNode(
        command,
        `completion of ${SESSIONS} sessions`,
        ['complete', 'session', '--', 'agent', '--state-dir', stateDir],
        2.5,
      ),
    ];
  });
}

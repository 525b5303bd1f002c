import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { FIXTURE_DATABASE } from './setup/create-agent-database.ts';

/** A copy of the frozen database in an agent's folder of its own. */
export function copyFixture(): { path: string; folder: string; agentFolder: string } {
  const agentFolder = makeTempFolder();
  const folder = join(agentFolder, 'agent');
  mkdirSync(folder);
  const path = join(folder, 'openclaw-agent.sqlite');
  copyFileSync(FIXTURE_DATABASE, path);
  return { path, folder, agentFolder };
}

/** Names, content and times of the files in a folder. The `-shm` file is the index of those who read: its name only. */
export function describeFolder(folder: string): Record<string, string> {
  const files = readdirSync(folder).sort();
  return Object.fromEntries(
    files.map((name) => {
      if (name.endsWith('-shm')) return [name, 'there'];
      const path = join(folder, name);
      const { mtimeNs, size } = statSync(path, { bigint: true });
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return [name, `${size} bytes, ${mtimeNs}, ${hash}`];
    }),
  );
}

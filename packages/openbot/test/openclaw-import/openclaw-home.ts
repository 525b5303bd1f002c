import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempFolder } from '../setup/temp-folder.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');

/** A state folder of an OpenClaw. */
export interface OpenclawHome {
  readonly stateDir: string;
  configure(config: object | string): void;
  sessionsDirOf(agentId: string): string;
  databaseOf(agentId: string): string;
  /** What is in each file, and when it was written. */
  state(): Record<string, string>;
}

export function makeOpenclawHome(folder = makeTempFolder()): OpenclawHome {
  const stateDir = join(folder, '.openclaw');
  mkdirSync(stateDir, { recursive: true });
  const agentDir = (agentId: string, name: string) => {
    const path = join(stateDir, 'agents', agentId, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    stateDir,
    configure: (config) =>
      writeFileSync(
        join(stateDir, 'openclaw.json'),
        typeof config === 'string' ? config : JSON.stringify(config),
      ),
    sessionsDirOf: (agentId) => agentDir(agentId, 'sessions'),
    databaseOf: (agentId) => join(agentDir(agentId, 'agent'), 'openclaw-agent.sqlite'),
    state: () => readTree(stateDir),
  };
}

export function readTree(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    names.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return [path.slice(folder.length + 1), `${hash} ${statSync(path).mtimeMs}`];
    }),
  );
}

/** The files that OpenClaw 2026.7.35 wrote. */
export function addFileFixture(home: OpenclawHome, version = '2026.7.35', agentId = 'main'): void {
  cpSync(join(FIXTURES, 'openclaw-files', version), home.sessionsDirOf(agentId), { recursive: true });
}

/** The database that OpenClaw 2026.9.6 wrote. */
export function addDatabaseFixture(home: OpenclawHome, agentId = 'main'): void {
  cpSync(join(FIXTURES, 'openclaw-sqlite/openclaw-agent.sqlite'), home.databaseOf(agentId));
}

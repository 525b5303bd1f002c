import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeFileAtomic } from '@openbot/sessions/disk';
import type { RunRecord } from './contract.ts';

const FOLDER = 'coding-runs';
const ID = /^[0-9a-f]{8}$/;

/** The records of all runs, a file for each. */
export class RunRecords {
  readonly #folder: string;

  constructor(stateDir: string) {
    this.#folder = join(stateDir, FOLDER);
  }

  get(id: string): RunRecord | undefined {
    if (!ID.test(id)) return undefined;
    try {
      const record = JSON.parse(readFileSync(join(this.#folder, `${id}.json`), 'utf8')) as RunRecord;
      return record.id === id && typeof record.owner === 'string' ? record : undefined;
    } catch {
      return undefined;
    }
  }

  /** The last started first. A file that cannot be read is none of ours. */
  list(): RunRecord[] {
    return this.#names()
      .flatMap((name) => this.get(name.slice(0, -'.json'.length)) ?? [])
      .sort((one, other) => other.startedAt - one.startedAt);
  }

  async put(record: RunRecord): Promise<void> {
    await makeFolder(this.#folder);
    await writeFileAtomic(join(this.#folder, `${record.id}.json`), `${JSON.stringify(record, null, 2)}\n`);
  }

  remove(id: string): void {
    if (ID.test(id)) rmSync(join(this.#folder, `${id}.json`), { force: true });
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  }
}

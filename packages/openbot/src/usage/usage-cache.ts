import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '@openbot/sessions/layout';
import type { ReadUnit, UsageUnit } from './contract.ts';
import {
  type ModelName,
  ModelTable,
  type PackedRequest,
  packRequest,
  unpackRequest,
} from './packed-request.ts';
import type { UsageBucket } from './rules/buckets.ts';

/** Changes with the form of what is kept and with the rules of counting. */
const VERSION = 3;
const HOUR = 3_600_000;

/** What a report needs. */
export interface CountedUsage {
  readonly units: readonly UsageUnit[];
  /** Of each session, or of all together. */
  readonly buckets: readonly UsageBucket[];
}

/**
 * What was counted of one source, in three files. Two small ones answer while nothing changed: reports by time or model
 * need one bucket for all sessions, others one for each. The third has the requests of each unit, so that only what
 * changed is read again. They are outside of every state folder: those of other programs are only read. A missing,
 * damaged or outdated cache costs a reading, never a wrong answer.
 */
export class UsageCache {
  readonly #folder: string | undefined;
  readonly #name: string;
  readonly #of: string;

  /** @param of what is counted: the source and its places */
  constructor(source: string, of: readonly string[], env: Environment) {
    this.#folder = findFolder(env);
    this.#of = JSON.stringify([VERSION, source, ...of]);
    this.#name = `${source}-${hashText(this.#of)}`;
  }

  /** Undefined unless exactly these units were counted, and none of them changed since. */
  readBuckets(units: readonly UsageUnit[], bySession: boolean): readonly UsageBucket[] | undefined {
    const kept = this.#read<KeptCount>(bySession ? 'sessions' : 'all');
    return kept?.isSettled && kept.units === listUnits(units) ? kept.buckets : undefined;
  }

  /** By the id of the unit, with the mark that it had. */
  readUnits(): ReadonlyMap<string, KeptUnit> {
    const kept = this.#read<KeptRequests>('requests');
    try {
      return new Map(
        kept?.units.map(([id, { requests, ...unit }]) => [
          id,
          { ...unit, requests: requests.map((packed) => unpackRequest(packed, kept.models)) },
        ]),
      );
    } catch {
      // Not in the form that it should have.
      return new Map();
    }
  }

  /** @param isSettled false if a unit changed so shortly before that a later change may have the same mark */
  write(
    units: readonly UsageUnit[],
    isSettled: boolean,
    buckets: { readonly all: readonly UsageBucket[]; readonly bySession: readonly UsageBucket[] },
    read: ReadonlyMap<string, KeptUnit>,
  ): void {
    const kept = { units: listUnits(units), isSettled };
    // What is counted from newer requests than are kept is no harm: each unit has its own mark.
    const models = new ModelTable();
    const packed = [...read].map(([id, { requests, ...unit }]) => [
      id,
      { ...unit, requests: requests.map((request) => packRequest(request, models)) },
    ]);
    this.#write('requests', { units: packed, models: models.names });
    this.#write('sessions', { ...kept, buckets: buckets.bySession });
    this.#write('all', { ...kept, buckets: buckets.all });
    tryTo(() => this.#sweep());
  }

  /** Removes what was counted of places that no report is made of any more, and what killed reports left. */
  #sweep(): void {
    const folder = this.#folder;
    if (folder === undefined) return;
    for (const name of readdirSync(folder)) {
      const keptMs = name.endsWith('.tmp') ? HOUR : 90 * 24 * HOUR;
      const path = join(folder, name);
      if (statSync(path).mtimeMs + keptMs < Date.now()) rmSync(path, { force: true });
    }
  }

  #read<T extends object>(part: string): T | undefined {
    if (this.#folder === undefined) return undefined;
    try {
      const kept: unknown = JSON.parse(
        readFileSync(join(this.#folder, `${this.#name}.${part}.json`), 'utf8'),
      );
      return (kept as { of?: unknown }).of === this.#of ? (kept as T) : undefined;
    } catch {
      return undefined;
    }
  }

  #write(part: string, value: object): void {
    if (this.#folder === undefined) return;
    const path = join(this.#folder, `${this.#name}.${part}.json`);
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(temporary, JSON.stringify({ of: this.#of, ...value }), { mode: 0o600 });
      renameSync(temporary, path);
    } catch {
      // The next report reads again.
      tryTo(() => rmSync(temporary, { force: true }));
    }
  }
}

export interface KeptUnit extends ReadUnit {
  readonly mark: string;
  readonly isSettled: boolean;
}

interface KeptRequests {
  readonly units: readonly [id: string, unit: Omit<KeptUnit, 'requests'> & { requests: PackedRequest[] }][];
  readonly models: readonly ModelName[];
}

interface KeptCount {
  /** In one text, which is compared at once. */
  readonly units: string;
  readonly isSettled: boolean;
  readonly buckets: readonly UsageBucket[];
}

function listUnits(units: readonly UsageUnit[]): string {
  let list = '';
  for (const { id, mark } of units) list += `${id}\t${mark}\n`;
  return list;
}

function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // Nothing depends on it.
  }
}

function findFolder({ XDG_CACHE_HOME = '', HOME = '' }: Environment): string | undefined {
  if (isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'openbot', 'usage');
  return isAbsolute(HOME) ? join(HOME, '.cache', 'openbot', 'usage') : undefined;
}

/** FNV-1a. Loading `node:crypto` would take longer than all else; what the name stands for is in the file. */
function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

import { isUtf8 } from 'node:buffer';
import type { ChangeCounts } from './project-status.ts';

/** The content of `git status --porcelain=v2 --branch -z`. */
export interface ParsedStatus {
  /** Empty without a commit. */
  readonly headSha: string;
  /** `HEAD` if it is detached; empty if git did not say. */
  readonly branch: string;
  readonly upstream?: { readonly name: string; readonly ahead?: number; readonly behind?: number };
  readonly uncommitted: readonly string[];
  readonly staged: readonly string[];
  readonly counts: ChangeCounts;
}

const NUL = 0;
const SPACE = 0x20;
/** The number of fields before the path, by the first letter of a record. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 };
/** No path is longer: a longer record is not from git. */
const RECORD_LIMIT = 1024 * 1024;

/** Parses the output in pieces, and keeps a limited number of paths: the list can have any length. */
export class StatusParser {
  readonly #limit: number;
  #rest: Buffer = Buffer.alloc(0);
  /** The next record is the old path of a renamed file. */
  #skipsOne = false;
  #headSha = '';
  #branch = '';
  #upstream: string | undefined;
  #distance: { ahead: number; behind: number } | undefined;
  readonly #uncommitted: string[] = [];
  readonly #staged: string[] = [];
  readonly #counts = { staged: 0, modified: 0, untracked: 0, conflicted: 0 };

  /** @param limit the number of paths of each list that are kept; all are counted */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NUL, start); end >= 0; end = bytes.indexOf(NUL, start)) {
      this.#takeRecord(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#rest = bytes.length - start > RECORD_LIMIT ? Buffer.alloc(0) : Buffer.from(bytes.subarray(start));
  }

  finish(): ParsedStatus {
    return {
      headSha: this.#headSha,
      branch: this.#branch,
      ...(this.#upstream === undefined ? {} : { upstream: { name: this.#upstream, ...this.#distance } }),
      uncommitted: this.#uncommitted,
      staged: this.#staged,
      counts: { ...this.#counts },
    };
  }

  #takeRecord(record: Buffer): void {
    if (this.#skipsOne) {
      this.#skipsOne = false;
      return;
    }
    const kind = String.fromCharCode(record[0] ?? 0);
    if (kind === '#') this.#takeHeader(record.toString('utf8'));
    this.#skipsOne = kind === '2';
    const fields = FIELDS_BEFORE_PATH[kind];
    if (fields === undefined) return;
    const path = record.subarray(skipFields(record, fields));
    if (kind === '?') {
      this.#counts.untracked++;
      this.#keep(this.#uncommitted, path);
    } else if (kind === 'u') {
      this.#counts.conflicted++;
      this.#keep(this.#uncommitted, path);
    } else this.#takeChange(record[2], record[3], path);
  }

  /** `.` means unchanged, in the index and in the work tree. */
  #takeChange(inIndex: number | undefined, inWorkTree: number | undefined, path: Buffer): void {
    const unchanged = 0x2e;
    if (inIndex !== unchanged) {
      this.#counts.staged++;
      this.#keep(this.#staged, path);
    }
    if (inWorkTree !== unchanged) {
      this.#counts.modified++;
      this.#keep(this.#uncommitted, path);
    }
  }

  #keep(list: string[], path: Buffer): void {
    if (list.length < this.#limit) list.push(decodePath(path));
  }

  #takeHeader(text: string): void {
    const [, name = '', value = ''] = /^# (\S+) (.*)$/s.exec(text) ?? [];
    if (name === 'branch.oid') this.#headSha = value === '(initial)' ? '' : value;
    else if (name === 'branch.head') this.#branch = value === '(detached)' ? 'HEAD' : value;
    else if (name === 'branch.upstream') this.#upstream = value;
    else if (name === 'branch.ab') {
      const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? [];
      if (behind !== undefined) this.#distance = { ahead: Number(ahead), behind: Number(behind) };
    }
  }
}

/** The position after `count` spaces: the path may contain spaces too. */
function skipFields(record: Buffer, count: number): number {
  let at = 0;
  for (let field = 0; field < count; field++) {
    const space = record.indexOf(SPACE, at);
    if (space < 0) return record.length;
    at = space + 1;
  }
  return at;
}

/** A file name as text. Bytes that are not UTF-8 are written as `\xff`, so that different names stay different. */
export function decodePath(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    text +=
      length > 0 ? bytes.toString('utf8', at, at + length) : `\\x${bytes[at]!.toString(16).padStart(2, '0')}`;
    at += Math.max(1, length);
  }
  return text;
}

/** The number of bytes of the character that begins here; 0 if it is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

/** What differs between two recordings of the same script: names of events, fields of payloads, answers. */
import type { Frame } from './gateway-client.ts';
import type { Recorded } from './recorded-script.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where rows are: their fields are compared once, and not for each event. */
const ROWS = new Set(['session', 'sessionInfo', 'sessions']);
/** Their inner fields are compared as well. */
const LOOKED_INTO = new Set([
  'data',
  '__openclaw',
  'message',
  'messages',
  'auth',
  'policy',
  'server',
  'snapshot',
  'result',
  'meta',
]);

interface Seen {
  /** Fields by what has them: `chat final`, `answer to sessions.list`, `row`. */
  readonly fields: Map<string, Set<string>>;
  /** Code and text of errors, by step. */
  readonly errors: Map<string, string>;
}

/** One line for each: `-` is in OpenClaw's only, `+` in openbot's only. */
export function findDifferences(theirs: readonly Recorded[], ours: readonly Recorded[]): string[] {
  const [a, b] = [look(theirs), look(ours)];
  const lines: string[] = [];
  for (const [name, fields] of a.fields) {
    const others = b.fields.get(name);
    if (others === undefined) lines.push(`- ${name}`);
    else lines.push(...without(fields, others).map((field) => `- ${name}: ${field}`));
  }
  for (const [name, fields] of b.fields) {
    const others = a.fields.get(name);
    if (others === undefined) lines.push(`+ ${name}`);
    else lines.push(...without(fields, others).map((field) => `+ ${name}: ${field}`));
  }
  for (const step of new Set([...a.errors.keys(), ...b.errors.keys()])) {
    const [error, other] = [a.errors.get(step), b.errors.get(step)];
    if (error !== other) lines.push(`error of ${step}: ${error} / ${other}`);
  }
  return lines.sort();
}

/** `chat delta`, `agent lifecycle start`, `sessions.changed send`, `answer to chat.send`. */
export function nameFrame({ step, frame }: Recorded): string {
  const { state, stream, data, reason, phase, message, status } = (frame.payload ?? {}) as Fields;
  switch (frame.event) {
    case undefined:
      return `answer to ${step}${status === 'accepted' ? ', first' : ''}`;
    case 'chat':
      return `chat ${state}${phase === undefined ? '' : ` ${phase}`}`;
    case 'agent': {
      const at = (data as Fields).phase;
      return `agent ${stream}${at === undefined ? '' : ` ${at}`}`;
    }
    case 'sessions.changed':
      return `sessions.changed ${reason ?? phase}`;
    case 'session.message':
      return `session.message ${(message as Fields).role}`;
    default:
      return frame.event;
  }
}

function look(recorded: readonly Recorded[]): Seen {
  const fields = new Map<string, Set<string>>();
  const errors = new Map<string, string>();
  const rowFields = new Set<string>();
  for (const one of recorded)
    for (const row of rowsIn(one.frame)) for (const field of named(row)) rowFields.add(field);
  fields.set('row', rowFields);
  for (const one of recorded) {
    const { step, frame } = one;
    if (frame.error !== undefined) errors.set(step, `${frame.error.code} ${frame.error.message}`);
    const name = nameFrame(one);
    const known = fields.get(name) ?? new Set();
    fields.set(name, known);
    const { session } = (frame.payload ?? {}) as Fields;
    // An event with a row has its fields at the top level too.
    const ofRow = session === undefined ? new Set<string>() : OF_ROWS;
    for (const field of fieldsOf(frame.payload)) {
      if (!rowFields.has(field) && !ofRow.has(field)) known.add(field);
    }
  }
  return { fields, errors };
}

/** Of both; filled as rows are met. */
const OF_ROWS = new Set<string>();

function rowsIn({ payload }: Frame): Fields[] {
  if (typeof payload !== 'object' || payload === null) return [];
  const { session, sessionInfo, sessions, sessionKey, ...rest } = payload as Fields;
  if (session !== undefined && sessionKey !== undefined) {
    for (const [field, value] of Object.entries(rest)) if (value === null) OF_ROWS.add(field);
  }
  const rows = [session, sessionInfo, ...(Array.isArray(sessions) ? sessions : [])];
  return rows.filter((row): row is Fields => typeof row === 'object' && row !== null);
}

const named = (row: Fields): string[] => Object.keys(row).filter((field) => row[field] !== null);

function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => [
    `${path}${field}`,
    ...(LOOKED_INTO.has(field) && !ROWS.has(field) ? fieldsOf(inner, `${path}${field}.`) : []),
  ]);
}

const without = (fields: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
  [...fields].filter((field) => !others.has(field));

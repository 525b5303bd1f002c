import { readKeyPart, refuseKey } from './key-text.ts';

export const DEFAULT_AGENT_ID = 'main';
export const DEFAULT_MAIN_KEY = 'main';
export const DEFAULT_ACCOUNT_ID = 'default';

const ID_LIMIT = 64;
const VALID_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** Names that plain objects answer to; an account of such a name would read as one that exists. */
const OBJECT_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Safe as a folder name: lower case, `[a-z0-9_-]`, at most 64 characters; `main` when nothing is left. */
export function normalizeAgentId(value: string | null | undefined): string {
  return slugifyId(value, 'agent id') || DEFAULT_AGENT_ID;
}

/** Whether the id needs no change but the lower-casing. */
export function isValidAgentId(value: string | null | undefined): boolean {
  return typeof value === 'string' && VALID_ID.test(value.trim());
}

/** As agent ids; `default` when nothing usable is left. */
export function normalizeAccountId(value: string | null | undefined): string {
  return normalizeOptionalAccountId(value) ?? DEFAULT_ACCOUNT_ID;
}

/** For settings where absence means something: undefined instead of `default`. */
export function normalizeOptionalAccountId(value: string | null | undefined): string | undefined {
  const id = slugifyId(value, 'account id');
  return id === '' || OBJECT_NAMES.has(id) ? undefined : id;
}

/** The name under which all direct messages of an agent collect, `main` unless configured. */
export function normalizeMainKey(value: string | null | undefined): string {
  return readKeyPart(value, 'main key') || DEFAULT_MAIN_KEY;
}

/** A channel's name in keys; `unknown` when absent. */
export function normalizeKeyChannel(value: string | null | undefined): string {
  const channel = readKeyPart(value, 'channel');
  if (channel.includes(':')) {
    throw refuseKey(`channel "${channel}" holds a colon`, 'A channel is one word, such as telegram.');
  }
  return channel || 'unknown';
}

function slugifyId(value: unknown, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') {
    throw refuseKey(`${what} must be text, not ${typeof value}`, 'Pass the id as a string.');
  }
  const text = value.trim().toLowerCase();
  if (VALID_ID.test(text)) return text;
  const collapsed = text.replace(/[^a-z0-9_-]+/g, '-').replace(/^-+/, '');
  return collapsed.slice(0, ID_LIMIT).replace(/-+$/, '');
}

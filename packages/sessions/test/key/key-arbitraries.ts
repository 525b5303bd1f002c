import fc from 'fast-check';
import { isKeyText } from '../../src/key/key-text.ts';
import { normalizeAccountId } from '../../src/key/normalize.ts';

/** Words that mean something in a key, and pieces that imitate our own quoting. */
const CHARGED = [
  'thread',
  'topic',
  'run',
  'dm',
  'direct',
  'group',
  'channel',
  'agent',
  'main',
  'global',
  'subagent',
  'cron',
  'hook',
  'clone',
  '%3a',
  '%25',
  '%',
  'a%3athread%3ab',
  'a%253athread%253ab',
  '-100123',
  '+49 170',
  '120363@g.us',
  '#general',
  '@user',
  '..',
  '/',
  '',
  ' ',
  'İ',
  'ΑΣ',
  'ß',
  'ME',
  'me',
  'Me ',
  '%4d%45',
  '%4D',
  '%c3%84',
  '\u00a0',
  '😀',
];

const charged = fc
  .array(fc.tuple(fc.constantFrom(...CHARGED), fc.constantFrom(':', ':', ':', '', '%3a')), {
    minLength: 1,
    maxLength: 7,
  })
  .map((pieces) => pieces.map(([word, glue]) => word + glue).join(''));

const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 24 });

/** Ids as channels could deliver them, mostly nasty ones; never blank, never with control characters. */
export const oddIds: fc.Arbitrary<string> = fc
  .oneof(charged, charged, anyText)
  .filter((id) => id.trim() !== '' && isKeyText(id));

export const agentIds: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('main', 'codex', 'thread', 'dm', 'agent', 'Support Desk', '_x', 'a-', '--', 'ÄÖ', '../..'),
  fc.string({ maxLength: 80 }),
);

const RESERVED = /^(dm|direct|group|channel|thread|topic|subagent|cron|hook|clone)$/;

export const channels: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('telegram', 'WhatsApp', 'discord', 'slack', 'main', 'agent', 'global', 'run'),
  fc
    .string({ minLength: 1, maxLength: 12 })
    .filter((name) => isKeyText(name) && !name.includes(':') && !RESERVED.test(name.trim().toLowerCase())),
);

export const accountIds: fc.Arbitrary<string | undefined> = fc.option(
  fc.string({ maxLength: 20 }).filter((id) => !RESERVED.test(normalizeAccountId(id))),
  { nil: undefined },
);

/** An id of a network as its key is read: these have no two ids that differ by case alone. */
export function asKept(channel: string, id: string): string {
  return asWritten(channel) === 'slack' ? id.toLowerCase() : id;
}

/** A name in a key. */
export function asWritten(id: string): string {
  return id.trim().toLowerCase();
}

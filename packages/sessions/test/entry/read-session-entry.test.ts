import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDeliveryContext } from '../../src/entry/delivery-context.ts';
import { readCliSessionId, readSdkSessionId, readSessionEntry } from '../../src/entry/read-session-entry.ts';
import type { SessionEntry } from '../../src/entry/session-entry.ts';

const base = { sessionId: 'a', updatedAt: 1 };

describe('older spellings', () => {
  test('dm is read as direct, in the entry and its origin', () => {
    const old = { ...base, chatType: 'dm', origin: { provider: 'telegram', chatType: 'DM' }, extra: [1] };
    expect(readSessionEntry(old)).toEqual({
      ...base,
      chatType: 'direct',
      origin: { provider: 'telegram', chatType: 'direct' },
      extra: [1],
    });
    expect(old.chatType).toBe('dm');
  });

  test('target and account are read as to and accountId', () => {
    const old = { channel: 'telegram', target: '+14155551234', account: 'default', more: true };
    const present = { channel: 'telegram', to: '+14155551234', accountId: 'default', more: true };
    expect(readDeliveryContext(old)).toEqual(present);
    expect(readSessionEntry({ ...base, deliveryContext: old })).toEqual({
      ...base,
      deliveryContext: present,
    });
  });

  test('delivery fields of other programs stay as they are', () => {
    const entry = {
      ...base,
      delivery: { kind: 'direct', target: '+14155551234', account: 'default' },
      route: { channel: 'webchat', target: 'x', account: 'y' },
    };
    expect(readSessionEntry(entry)).toBe(entry);
  });

  test('the present spelling wins, and nothing is dropped', () => {
    expect(readDeliveryContext({ to: 'new', target: 'old', account: 'x' })).toEqual({
      to: 'new',
      target: 'old',
      accountId: 'x',
    });
    expect(readDeliveryContext({ to: 'new', target: 7 })).toEqual({ to: 'new', target: 7 });
  });

  test('an entry in the present spelling is the same object', () => {
    const entry = {
      ...base,
      chatType: 'direct',
      deliveryContext: { to: 'x' },
      origin: { chatType: 'group' },
    };
    expect(readSessionEntry(entry)).toBe(entry);
  });

  test('what is not understood stays', () => {
    const odd = { ...base, chatType: 'seance', origin: 'nowhere', deliveryContext: [1], route: null };
    expect(readSessionEntry(odd)).toBe(odd);
  });

  test('any object can be read, once is enough, and no field is lost', () => {
    const json = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('chatType', 'origin', 'deliveryContext', 'route', '__proto__')),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(json, (raw) => {
        const once = readSessionEntry(raw);
        expect(readSessionEntry(once)).toEqual(once);
        expect(Object.keys(once).toSorted()).toEqual(Object.keys(raw).toSorted());
      }),
    );
  });

  test.each(['2026.1.30', '2026.7.35'])('every entry that OpenClaw %s wrote reads as itself', (version) => {
    const file = new URL(`../../../../fixtures/openclaw-files/${version}/sessions.json`, import.meta.url);
    const store: Record<string, SessionEntry> = JSON.parse(readFileSync(file, 'utf8'));
    for (const entry of Object.values(store)) {
      expect(readSessionEntry(entry)).toBe(entry);
      expect(entry).toMatchObject({ sessionId: expect.any(String), updatedAt: expect.any(Number) });
    }
  });
});

describe('the session behind the session', () => {
  const both = { ...base, cliSessionIds: { 'claude-cli': 'map', codex: 'c' }, claudeCliSessionId: 'oldest' };

  test('the map wins over the oldest field', () => {
    expect(readCliSessionId(both, 'claude-cli')).toBe('map');
    expect(readCliSessionId(both, 'codex')).toBe('c');
    expect(readCliSessionId({ ...base, claudeCliSessionId: ' oldest ' }, 'claude-cli')).toBe('oldest');
    expect(readCliSessionId({ ...base, claudeCliSessionId: 'oldest' }, 'codex')).toBeUndefined();
  });

  test('the SDK id wins over both', () => {
    expect(readSdkSessionId({ ...both, sdkSessionId: 'sdk' })).toBe('sdk');
    expect(readSdkSessionId(both)).toBe('map');
    expect(readSdkSessionId(base)).toBeUndefined();
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is no provider', (provider) => {
    expect(readCliSessionId(both, provider)).toBeUndefined();
  });
});

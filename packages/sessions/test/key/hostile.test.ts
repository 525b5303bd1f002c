import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { OpenBotError } from '../../src/errors.ts';
import {
  type AgentPeerSessionKeyParams,
  buildAgentMainSessionKey,
  buildAgentPeerSessionKey,
  buildCronSessionKey,
  buildSubagentSessionKey,
} from '../../src/key/build.ts';
import { formatSessionKey } from '../../src/key/format.ts';
import { resolveGroupSessionKey } from '../../src/key/group.ts';
import {
  isValidAgentId,
  normalizeAccountId,
  normalizeAgentId,
  normalizeMainKey,
} from '../../src/key/normalize.ts';
import { parseSessionKey } from '../../src/key/parse.ts';
import {
  resolveAgentIdFromSessionKey,
  resolveSessionKey,
  toAgentStoreSessionKey,
} from '../../src/key/resolve.ts';
import { readStoredKey } from '../../src/key/stored-key.ts';
import { buildThreadSessionKey } from '../../src/key/thread.ts';

function refusal(run: () => unknown): OpenBotError {
  try {
    const result = run();
    throw new Error(`not refused: ${String(result)}`);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    return error;
  }
}

function expectRefused(run: () => unknown, code = 'INVALID_SESSION_KEY'): void {
  const error = refusal(run);
  expect(error.code).toBe(code);
  expect(error.hint).toBeTruthy();
}

const peer = (part: object) =>
  buildAgentPeerSessionKey({
    agentId: 'main',
    channel: 'telegram',
    peerId: 'x',
    dmScope: 'per-account-channel-peer',
    ...part,
  } as AgentPeerSessionKeyParams);

describe('agent ids', () => {
  it.each<[string | null | undefined, string]>([
    [undefined, 'main'],
    [null, 'main'],
    ['', 'main'],
    ['   ', 'main'],
    ['Main', 'main'],
    ['Support Desk', 'support-desk'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a\u0000b', 'a-b'],
    ['--a--', 'a'],
    ['a-', 'a-'],
    ['_x', '_x'],
    ['ÄÖÜ', 'main'],
    ['..', 'main'],
    ['C:\\x', 'c-x'],
    ['a'.repeat(70), 'a'.repeat(64)],
    [`${'a'.repeat(63)}--${'b'.repeat(9)}`, 'a'.repeat(63)],
    ['\ud800', 'main'],
  ])('%j becomes %s', (raw, expected) => {
    expect(normalizeAgentId(raw)).toBe(expected);
  });

  it('are safe folder names, and stay the same when normalised again', HUNT, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (raw) => {
        const id = normalizeAgentId(raw);
        expect(id).toMatch(/^[a-z0-9_][a-z0-9_-]{0,63}$/);
        expect(normalizeAgentId(id)).toBe(id);
        expect(parseSessionKey(buildAgentMainSessionKey({ agentId: raw }))).toMatchObject({ agentId: id });
      }),
      cases({ gate: 300, torture: 20_000 }),
    );
  });

  it('recognises a valid one', () => {
    expect(['main', 'Main', ' a_b-1 '].map(isValidAgentId)).toEqual([true, true, true]);
    expect(['', '-a', 'a b', 'a'.repeat(65), undefined].map(isValidAgentId)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('refuses what is not text', () => {
    expectRefused(() => normalizeAgentId(42 as unknown as string));
    expectRefused(() => normalizeAgentId({} as unknown as string));
  });
});

describe('account ids and main keys', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'default'],
    ['', 'default'],
    ['Bot 2', 'bot-2'],
    ['__proto__', 'default'],
    ['Constructor', 'default'],
    ['_prod', '_prod'],
  ])('account %j becomes %s', (raw, expected) => {
    expect(normalizeAccountId(raw)).toBe(expected);
  });

  it('main keys are trimmed and lower-cased', () => {
    expect(normalizeMainKey(' Work ')).toBe('work');
    expect(normalizeMainKey(undefined)).toBe('main');
    expectRefused(() => normalizeMainKey('a\nb'));
  });

  it.each(['dm:5', 'telegram:group:1', 'a:b', 'cron', 'dm', 'thread', 'main:thread:5', ':'])(
    'a main key that reads as something else is refused: %s',
    (mainKey) => {
      expectRefused(() => buildAgentMainSessionKey({ agentId: 'main', mainKey }));
    },
  );
});

describe('parts that a key cannot contain', () => {
  const control = [
    'a\u0000b',
    'a\nb',
    'a\u001b[2Jb',
    'a\u0085b',
    'a\u2028b',
    'a\u007fb',
    'x\ud800',
    '\udc00x',
  ];

  it.each(control)('%j', (bad) => {
    expectRefused(() => peer({ peerId: bad }));
    expectRefused(() => peer({ peerKind: 'group', peerId: bad }));
    expectRefused(() => peer({ channel: bad }));
    expectRefused(() => buildSubagentSessionKey({ agentId: 'main', key: bad }));
    expectRefused(() => buildCronSessionKey({ agentId: 'main', jobId: 'j', runId: bad }));
    expectRefused(() => buildThreadSessionKey('agent:main:main', bad));
    expectRefused(() => readStoredKey(bad));
    expectRefused(() => resolveSessionKey('per-sender', { SessionKey: bad }));
    expectRefused(() => resolveGroupSessionKey({ From: bad, ChatType: 'group', Provider: 'telegram' }));
    expect(parseSessionKey(`agent:main:dm:${bad}`)).toBeNull();
  });

  it.each([[{}], [[]], [true], [1.5], [Number.NaN], [Symbol('x')]])('not text: %s', (bad) => {
    expectRefused(() => peer({ peerId: bad }));
    expectRefused(() => buildSubagentSessionKey({ agentId: 'main', key: bad as unknown as string }));
    expectRefused(() => resolveSessionKey('per-sender', { SessionKey: bad as unknown as string }));
    expect(parseSessionKey(bad as unknown as string)).toBeNull();
  });

  it('names without a meaning of their own for channels and accounts', () => {
    expectRefused(() => peer({ channel: 'tele:gram' }));
    for (const word of ['dm', 'direct', 'subagent', 'cron', 'hook', 'clone']) {
      expectRefused(() => peer({ channel: word }));
    }
    for (const word of ['dm', 'direct', 'group', 'channel', 'thread', 'topic']) {
      expectRefused(() => peer({ accountId: word }));
    }
  });

  it('an unknown scope or kind of peer is no licence to share one session', () => {
    expectRefused(() => peer({ dmScope: 'per_peer' }), 'INVALID_ARGUMENT');
    expectRefused(() => peer({ peerKind: 'room' }), 'INVALID_ARGUMENT');
  });

  it('very long ids', () => {
    expect(peer({ peerId: 'x'.repeat(900) })).toHaveLength(900 + 'agent:main:telegram:default:dm:'.length);
    expectRefused(() => peer({ peerId: 'x'.repeat(1100) }));
    expect(() => peer({ peerId: 'É'.repeat(256) })).toThrow(
      /has 1567 characters, and a session key at most 1024/,
    );
    expectRefused(() => readStoredKey('x'.repeat(1025)));
    expectRefused(() => peer({ peerId: 'x'.repeat(5_000_000) }));
    expect(parseSessionKey(`agent:main:${'thread:'.repeat(1_000_000)}x`)).toBeNull();
  });

  it('empty names', () => {
    expectRefused(() => buildSubagentSessionKey({ agentId: 'main', key: '  ' }));
    expectRefused(() => buildThreadSessionKey('agent:main:main', ''));
    expectRefused(() => buildThreadSessionKey('global', '1'));
    expectRefused(() => buildThreadSessionKey('nonsense', '1'));
  });

  it('deep nesting is read in little time', () => {
    const key = `agent:main:main${':thread:thread'.repeat(70)}`;
    expect(parseSessionKey(key)).toMatchObject({ kind: 'thread' });
    const quoted = `agent:main:dm:${'%25'.repeat(300)}3athread`;
    expect(formatSessionKey(parseSessionKey(quoted)!)).toBe(quoted);
  });
});

describe('paths in keys', () => {
  it('never reach the agent id', () => {
    expectRefused(() => resolveAgentIdFromSessionKey('agent:../other:main'));
    expectRefused(() => resolveAgentIdFromSessionKey('agent:a/b:main'));
    expectRefused(() => toAgentStoreSessionKey({ agentId: 'main', requestKey: 'agent:../x:main' }));
    expectRefused(() => toAgentStoreSessionKey({ agentId: 'main', requestKey: 'agent:main' }));
    expect(toAgentStoreSessionKey({ agentId: '../x', requestKey: '../../y' })).toBe('agent:x:../../y');
  });

  it('are plain text in a peer id: Google Chat has ids with slashes', () => {
    expect(peer({ channel: 'googlechat', peerId: 'users/../123' })).toBe(
      'agent:main:googlechat:default:dm:users/../123',
    );
  });
});

describe('explicit keys', () => {
  it.each(['__proto__', 'constructor', 'toString', ' hasOwnProperty '])(
    '%s is refused: every object has it',
    (SessionKey) => {
      expectRefused(() => resolveSessionKey('per-sender', { SessionKey }));
    },
  );

  it('error messages show neither control characters nor the whole of a long key', () => {
    const { message } = refusal(() => readStoredKey(`a\u001b[31m\ud800${'x'.repeat(5000)}`));
    expect(message.length).toBeLessThan(300);
    expect(message).not.toContain('\u001b');
  });

  it('whatever the text, it is stored as itself in lower case or refused', HUNT, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        let key: string;
        try {
          key = readStoredKey(text);
        } catch (error) {
          expect(error).toMatchObject({ name: 'OpenBotError', code: 'INVALID_SESSION_KEY' });
          return;
        }
        expect(key).toBe(text.trim().toLowerCase());
        expect(readStoredKey(key)).toBe(key);
      }),
      cases({ gate: 400, torture: 20_000 }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { InboxMessage, InboxState } from '../../../src/inbox/contract.ts';
import {
  isHistory,
  listUnanswered,
  NOT_ADDRESSED,
  toHistoryEntry,
} from '../../../src/turn/history/group-history.ts';

function message(seq: number, state: InboxState, ctx: InboxMessage['ctx'] = {}): InboxMessage {
  return {
    identity: { channel: 'whatsapp', accountId: 'default', conversationId: 'g', messageId: `m${seq}` },
    agentId: 'main',
    sessionKey: 'agent:main:whatsapp:group:g',
    ctx: { RawBody: `text ${seq}`, SenderName: 'Alice', ...ctx },
    receivedAt: seq * 1000,
    seq,
    tries: 0,
    ...state,
  };
}

const dropped = { state: 'dropped', reason: NOT_ADDRESSED } as const;
const answered = { state: 'answered', turnId: 't' } as const;
const running = { state: 'running', turnId: 't' } as const;

describe('listUnanswered', () => {
  it('begins behind the last message that had a turn', () => {
    const failed = { state: 'failed', error: 'x' } as const;
    expect(listUnanswered([message(1, dropped), message(2, failed), message(3, dropped)])).toHaveLength(1);
    expect(listUnanswered([message(1, dropped), message(2, dropped)])).toHaveLength(2);
    expect(listUnanswered([])).toEqual([]);
  });

  it('gives a turn that is repeated the same messages', () => {
    const messages = [message(1, answered), message(2, dropped), message(3, running), message(4, dropped)];
    expect(listUnanswered(messages.filter(({ seq }) => seq < 3)).map(({ seq }) => seq)).toEqual([2]);
  });
});

describe('isHistory', () => {
  it('takes what waits and what was not addressed, and nothing else that was dropped', () => {
    expect([dropped, running].map((state) => isHistory(message(1, state)))).toEqual([true, true]);
    for (const reason of ['queue full: named in the next turn', 'withdrawn', 'given to coding run c1'])
      expect(isHistory(message(1, { state: 'dropped', reason })), reason).toBe(false);
  });
});

describe('toHistoryEntry', () => {
  it('takes the clean text and the best name', () => {
    expect(
      toHistoryEntry(
        message(7, dropped, { Body: '[x] y', SenderName: undefined, SenderId: '42', Timestamp: 5 }),
      ),
    ).toEqual({ sender: '42', body: 'text 7', timestamp: 5, messageId: 'm7' });
    expect(toHistoryEntry(message(7, dropped, { RawBody: undefined, SenderName: '' }))).toMatchObject({
      sender: 'unknown',
      body: '',
    });
  });

  it('takes the text of a voice message', () => {
    expect(toHistoryEntry(message(7, dropped, { RawBody: '', Transcript: 'spoken' })).body).toBe('spoken');
  });

  it('shortens a long text', () => {
    expect(toHistoryEntry(message(7, dropped, { RawBody: 'x'.repeat(10_000_000) })).body).toBe(
      `${'x'.repeat(3999)}…`,
    );
  });
});

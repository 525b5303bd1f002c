/** Values of the design's types are accepted: a caller who declares them again compiles, by `npm run types`. */
import {
  type ConversationMessage,
  identifyTurnBoundaries,
  type MessageEntry,
  type ParsedSession,
  removeToolCalls,
  resolvePreset,
  type SessionEntry,
  type SessionHeader,
  type SessionsIndex,
} from 'oc-context-cleaner';
import { expect, expectTypeOf, test } from 'vitest';

interface DesignHeader {
  type: 'session';
  version: string;
  id: string;
  timestamp: string;
  cwd: string;
}

interface DesignText {
  type: 'text';
  text: string;
}

interface DesignToolCall {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

interface DesignUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

interface DesignMessage {
  role: 'user' | 'assistant' | 'toolResult';
  content: (DesignText | DesignToolCall)[] | string;
  api?: string;
  provider?: string;
  model?: string;
  stopReason?: string;
  usage?: DesignUsage;
  toolCallId?: string;
}

interface DesignMessageEntry {
  type: 'message';
  timestamp: number;
  message: DesignMessage;
}

interface DesignSession {
  header: DesignHeader;
  messages: DesignMessageEntry[];
  filePath: string;
}

interface DesignIndex {
  [sessionKey: string]: {
    sessionId: string;
    updatedAt: number;
    sessionFile?: string;
    displayName?: string;
    label?: string;
  };
}

test('values of its types are values of ours', () => {
  expectTypeOf<DesignMessage>().toExtend<ConversationMessage>();
  expectTypeOf<DesignMessageEntry>().toExtend<MessageEntry>();
  expectTypeOf<DesignHeader>().toExtend<SessionHeader>();
  expectTypeOf<DesignHeader | DesignMessageEntry>().toExtend<SessionEntry>();
  expectTypeOf<DesignSession>().toExtend<ParsedSession>();
  expectTypeOf<DesignIndex>().toExtend<SessionsIndex>();
});

test('the functions take them', () => {
  const call: DesignToolCall = { type: 'toolCall', id: 'c1', name: 'Read', arguments: { path: 'a.md' } };
  const said: DesignMessage[] = [
    { role: 'user', content: 'Read it' },
    { role: 'assistant', content: [{ type: 'text', text: 'Yes' }, call], stopReason: 'toolUse' },
    { role: 'toolResult', content: 'a text', toolCallId: 'c1' },
    { role: 'assistant', content: [{ type: 'text', text: 'It is a text' }], stopReason: 'stop' },
  ];
  const header: DesignHeader = { type: 'session', version: '0.49.3', id: 's', timestamp: '', cwd: '/' };
  const entries = said.map((message): DesignMessageEntry => ({ type: 'message', timestamp: 0, message }));
  expect(identifyTurnBoundaries(entries)).toMatchObject([{ turnIndex: 0, hasToolCalls: true }]);
  const { processedEntries } = removeToolCalls([header, ...entries], resolvePreset('extreme'));
  expect(processedEntries).toMatchObject([
    header,
    entries[0],
    { message: { role: 'assistant', content: [{ text: 'Yes' }] } },
    entries[3],
  ]);
});

import { expect, test } from 'vitest';
import { summarizeResult } from '../../src/history/call-summary.ts';
import type { HistoryItem } from '../../src/history/history-item.ts';
import { redactHead, redactItem } from '../../src/history/redact-item.ts';

const KEY = 'sk-ant-api03-abcdEFGH1234abcdEFGH1234abcdEFGH1234abcd';

function redactResult(text: string, tools: boolean) {
  const result = { kind: 'result', text, images: 0, isError: false } as const;
  const item = { kind: 'message', speaker: 'tool', parts: [result] } as unknown as HistoryItem;
  const redacted = redactItem(item, tools);
  const part = redacted.kind === 'message' ? redacted.parts[0] : undefined;
  if (part?.kind !== 'result') throw new Error('no result');
  return { before: summarizeResult(result), after: summarizeResult(part), text: part.text };
}

const LONG = 'a line of text\n'.repeat(1000);

test.each([
  ['behind the beginning', `${LONG}${KEY}\n`],
  ['where the beginning ends', `${'x '.repeat(4086)}${KEY} ${LONG}`],
  ['before the exit code', `${LONG}${KEY}\n\n(Command exited with code 3)\n`],
])('a secret %s of a long result is hidden, and its summary is the same', (_, text) => {
  const { before, after, text: shown } = redactResult(text, false);
  expect(shown).not.toMatch(/abcdEFGH1234/);
  expect(shown).not.toContain('sk-ant-api03-a');
  expect(shown.length).toBeLessThan(text.length);
  expect(after).toEqual(before);
  expect(redactResult(text, true).text).toMatch(/a line of text\s*\S*\s*(?:\(Command.*\)\n)?$/);
});

test('neither name of a session shows a secret', () => {
  const head = { sessionId: 's', source: 'openbot', path: '/x', turns: 1, otherBranches: 0 };
  const redacted = redactHead({ ...head, label: `my ${KEY}`, sessionKey: `agent:main:${KEY}` });
  expect(JSON.stringify(redacted)).not.toContain('abcdEFGH1234');
  expect(redacted.sessionKey).toMatch(/^agent:main:/);
});

import { expect, test } from 'vitest';
import { handOver } from '../../../src/runners/claude/hand-over.ts';

test('what the model was told in front of the words of a person is not said to be theirs', () => {
  const event = 'System: [2026-01-12 12:19:17 PST] MEMORY.md has changed:\nSystem: - a cat';
  const flush = 'System: [2026-01-12 12:30:00 PST] Store durable memories now.';
  const text = handOver(
    [
      { role: 'user', content: `${event}\n\nMy cat is called Minka.\n> System: typed` },
      { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] },
      { role: 'user', content: [{ type: 'text', text: flush }] },
    ],
    'Go on.',
    { what: 'since', contextWindow: undefined },
  );
  expect(text).toContain(
    `${event}\n\nThe person: My cat is called Minka.\n> System: typed\n\nYou: I see.\n\n${flush}\n`,
  );
});

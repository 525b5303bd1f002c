import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { limitImages } from '../../../src/runners/pi/limit-images.ts';

type Messages = Parameters<typeof limitImages>[0];

const LIMITS = { count: 6, characters: 100 };

const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.constantFrom('a', 'b') }),
  fc.record({
    type: fc.constant('image'),
    data: fc.oneof(fc.nat(20), fc.nat(150)).map((length) => 'x'.repeat(length)),
  }),
);
const message = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.array(block, { maxLength: 4 }),
});
const conversation = fc.array(message, { maxLength: 60 }) as fc.Arbitrary<unknown> as fc.Arbitrary<Messages>;

const limit = (messages: Messages, refusedUntil = 0) =>
  limitImages(messages, (one) => messages.indexOf(one) < refusedUntil, LIMITS);

it('keeps requests within the limits', HUNT, () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const images = limit(messages).messages.flatMap((one) => {
        const content = (one as { content: { type: string; data: string }[] }).content;
        return content.filter(({ type }) => type === 'image');
      });
      expect(images.length).toBeLessThanOrEqual(LIMITS.count);
      expect(images.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThanOrEqual(LIMITS.characters);
    }),
    cases({ gate: 300, torture: 20_000 }),
  );
});

it('changes what was sent only where it says so, and from then on for good', HUNT, () => {
  fc.assert(
    fc.property(conversation, fc.nat(60), fc.nat(60), (messages, length, refusal) => {
      const refused = Math.min(refusal, messages.length);
      // A request before the refusal had the images.
      const earlier = limit(messages.slice(0, length), refused <= length ? refused : 0);
      const later = limit(messages, refused);
      const since = later.changes.filter(({ until }) => until >= length);
      const from = Math.min(length, ...since.map((change) => change.from));
      expect(later.messages.slice(0, from)).toEqual(earlier.messages.slice(0, from));
      const before = later.changes.filter(({ until }) => until < length);
      expect(earlier.changes.slice(0, before.length)).toEqual(before);
    }),
    cases({ gate: 300, torture: 20_000 }),
  );
});

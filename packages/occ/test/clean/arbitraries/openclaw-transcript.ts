import fc from 'fast-check';
import { models } from './models.ts';
import { openclawLines } from './openclaw-lines.ts';
import { openclawSteps } from './openclaw-steps.ts';
import { type TranscriptBytes, writtenLines } from './transcript-bytes.ts';

const chance = (oneIn: number) => fc.integer({ min: 1, max: oneIn }).map((roll) => roll === oneIn);

/** Trees of versions 2 to 4, with branches. */
const treeForm = fc.record({
  tree: fc.constant(true),
  version: fc.constantFrom<(number | string)[]>(3, 3, 2, 4, '3', '2.0'),
  oddIds: chance(8),
  forPi: fc.constant(false),
});

/** One line after the other, without ids. */
const linearForm = fc.record({
  tree: fc.constant(false),
  version: fc.constantFrom<(number | string | undefined)[]>(undefined, 1, '1'),
  oddIds: fc.constant(false),
  forPi: fc.constant(false),
});

/** Any transcript of OpenClaw or pi. */
export const openclawTranscript: fc.Arbitrary<TranscriptBytes> = writtenLines(
  fc
    .tuple(
      openclawSteps,
      fc.oneof({ weight: 3, arbitrary: treeForm }, { weight: 1, arbitrary: linearForm }),
      models,
    )
    .map(([steps, form, model]) => openclawLines(steps, { ...form, model })),
);

/** One that pi reads as we do: with a header of its own, no flat lines, no line twice. */
export const piTranscript: fc.Arbitrary<TranscriptBytes> = writtenLines(
  fc
    .tuple(openclawSteps, fc.constantFrom(3, 3, 3, 2, 1), models)
    .map(([steps, version, model]) =>
      openclawLines(steps, { tree: version > 1, version, oddIds: false, forPi: true, model }),
    ),
  { forPi: true },
);

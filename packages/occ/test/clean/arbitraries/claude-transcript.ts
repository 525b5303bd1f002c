import fc from 'fast-check';
import { claudeLines } from './claude-lines.ts';
import { claudeSteps } from './claude-steps.ts';
import { models } from './models.ts';
import { type TranscriptBytes, writtenLines } from './transcript-bytes.ts';

/** Any transcript of Claude Code. */
export const claudeTranscript: fc.Arbitrary<TranscriptBytes> = writtenLines(
  fc.tuple(claudeSteps, models).map(([steps, model]) => claudeLines(steps, model)),
);

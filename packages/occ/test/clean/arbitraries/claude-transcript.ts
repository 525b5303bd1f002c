import type fc from 'fast-check';
import { claudeLines } from './claude-lines.ts';
import { claudeSteps } from './claude-steps.ts';
import { type TranscriptBytes, writtenLines } from './transcript-bytes.ts';

/** Any transcript of Claude Code. */
export const claudeTranscript: fc.Arbitrary<TranscriptBytes> = writtenLines(claudeSteps.map(claudeLines));

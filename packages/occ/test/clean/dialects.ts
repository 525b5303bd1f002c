import { claudeTranscript } from './arbitraries/claude-transcript.ts';
import { openclawTranscript } from './arbitraries/openclaw-transcript.ts';

/** The dialects that every property holds for, and their transcripts. */
export const DIALECTS = [
  { dialect: 'openclaw' as const, transcripts: openclawTranscript },
  { dialect: 'claude-code' as const, transcripts: claudeTranscript },
];

const hunt = Number(process.env.CLEAN_RUNS ?? 0);

/**
 * How often a property is tried. The same transcripts each time, so that a test that passed passes again;
 * CLEAN_RUNS=20000 hunts among others for what these do not show.
 */
export const RUNS = hunt > 0 ? { numRuns: hunt } : { numRuns: 60, seed: 2026 };

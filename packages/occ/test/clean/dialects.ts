import { claudeTranscript } from './arbitraries/claude-transcript.ts';
import { openclawTranscript } from './arbitraries/openclaw-transcript.ts';

/** The dialects that every property holds for, and their transcripts. */
export const DIALECTS = [
  { dialect: 'openclaw' as const, transcripts: openclawTranscript },
  { dialect: 'claude-code' as const, transcripts: claudeTranscript },
];

/** How often a property is tried; CLEAN_RUNS=20000 hunts for what a few hundred do not find. */
export const RUNS = { numRuns: Number(process.env.CLEAN_RUNS ?? 0) || 300 };

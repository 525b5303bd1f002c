import { cases } from '../../../../test/setup/hunt.ts';
import { claudeTranscript } from './arbitraries/claude-transcript.ts';
import { openclawTranscript } from './arbitraries/openclaw-transcript.ts';

/** The dialects that every property holds for, and their transcripts. */
export const DIALECTS = [
  { dialect: 'openclaw' as const, transcripts: openclawTranscript },
  { dialect: 'claude-code' as const, transcripts: claudeTranscript },
];

/** How often a property is tried. */
export const RUNS = cases({ gate: 15, torture: 300, seed: 2026 });

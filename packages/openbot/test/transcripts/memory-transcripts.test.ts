import { openMemoryTranscripts } from '../../src/transcripts/memory/memory-transcripts.ts';
import { describeTranscriptsContract } from './transcripts-contract.ts';

describeTranscriptsContract('memory', () => openMemoryTranscripts());

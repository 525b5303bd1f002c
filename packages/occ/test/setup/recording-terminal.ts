import type { Terminal } from '../../src/commands/command.ts';

export interface RecordingTerminal extends Terminal {
  readonly stdout: string;
  readonly stderr: string;
}

/** Keeps what is written to it. */
export function createRecordingTerminal(colour = false): RecordingTerminal {
  const record = { stdout: '', stderr: '' };
  return {
    write: (text) => {
      record.stdout += text;
    },
    writeError: (text) => {
      record.stderr += text;
    },
    isTerminal: colour,
    columns: 80,
    colour,
    errorColour: colour,
    get stdout() {
      return record.stdout;
    },
    get stderr() {
      return record.stderr;
    },
  };
}

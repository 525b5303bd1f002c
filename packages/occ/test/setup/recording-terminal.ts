import type { Terminal } from '@openbot/sessions/command-line';
import { paletteFor } from '@openbot/sessions/terminal-text';

export interface RecordingTerminal extends Terminal {
  readonly stdout: string;
  readonly stderr: string;
}

/** Keeps what is written to it. */
export function createRecordingTerminal(colour = false): RecordingTerminal {
  const record = { stdout: '', stderr: '' };
  const write = (text: string) => {
    record.stdout += text;
  };
  const writeError = (text: string) => {
    record.stderr += text;
  };
  return {
    write,
    writeError,
    say: write,
    warn: writeError,
    followProgress: () => () => {},
    eraseProgress: () => {},
    isTerminal: colour,
    columns: 80,
    maxLineWidth: colour ? 80 : Number.POSITIVE_INFINITY,
    palette: paletteFor(colour),
    errorPalette: paletteFor(colour),
    get stdout() {
      return record.stdout;
    },
    get stderr() {
      return record.stderr;
    },
  };
}

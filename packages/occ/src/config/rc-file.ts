import { readFileSync } from 'node:fs';
import { OccError } from '../errors.ts';

/** c12 passes over lines that it does not understand; here they are an error. Throws CONFIG_INVALID. */
export function checkRcFile(path: string, shownPath: string): void {
  const wrong = readRcLines(path, shownPath).findIndex(
    (line) => /\S/.test(line) && !/^\s*([#;]|[^\s=]+\s*=)/.test(line),
  );
  if (wrong < 0) return;
  throw new OccError(`${shownPath}: line ${wrong + 1} is not of the form key=value`, 'CONFIG_INVALID', {
    hint: 'Write lines such as defaultPreset=aggressive; JSON belongs into occ.config.json',
  });
}

/** The nearest file with a line for the key. */
export function findRcFileOf(key: string, rcFiles: readonly string[]): string {
  const hasKey = (line: string) => /^\s*([^\s=.[]+)/.exec(line)?.[1] === key;
  return rcFiles.find((path) => readRcLines(path, path).some(hasKey)) ?? rcFiles[0] ?? '.occrc';
}

function readRcLines(path: string, shownPath: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r\n|\n|\r/);
  } catch (cause) {
    throw new OccError(`${shownPath}: ${(cause as Error).message}`, 'CONFIG_INVALID', {
      hint: 'Correct the file, or move it away',
      cause,
    });
  }
}

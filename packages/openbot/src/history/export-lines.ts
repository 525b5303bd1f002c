import { reportProgress } from '@openbot/sessions';
import type { OpenLines } from 'oc-context-cleaner';
import { parseLine } from './read-items.ts';
import { redactValue } from './redact-item.ts';

/** The lines of a transcript, each with its line end, as they are; one that holds a secret is written anew without it. */
export function* exportLines({ transcript, readLine }: OpenLines, withSecrets: boolean): Generator<Buffer> {
  for (let index = 0; index < transcript.length; index++) {
    const line = readLine(index);
    reportProgress({ share: index / transcript.length });
    const isLast = index === transcript.length - 1;
    const end = isLast && !transcript.terminated ? '' : '\n';
    yield Buffer.from((withSecrets ? line : hideInLine(line)) + end, 'latin1');
  }
}

/** @param line of one character a byte, as the result is */
function hideInLine(line: string): string {
  const value = parseLine(line);
  const redacted = redactValue(value ?? Buffer.from(line, 'latin1').toString('utf8'));
  if (value === undefined) return Buffer.from(redacted as string, 'utf8').toString('latin1');
  return redacted === value ? line : Buffer.from(JSON.stringify(redacted), 'utf8').toString('latin1');
}

/** Appends numbered messages to a transcript until its standard input ends, and says which ones are kept. */
import { composeUserMessage } from '@openbot/sessions/transcript';
import { keepCompiled } from '../../../../../test/setup/keep-compiled.ts';
import type { TranscriptRef } from '../../../src/transcripts/contract.ts';
import { openFileTranscripts } from '../../../src/transcripts/files/file-transcripts.ts';

const [stateDir = '', name = '', ref = '{}', times = 'Infinity'] = process.argv.slice(2);
const transcripts = openFileTranscripts(stateDir);
keepCompiled();
process.stdin
  .resume()
  .once('end', () => process.exit(1))
  .unref();
for (let n = 0; n < Number(times); n++) {
  const message = composeUserMessage(`${name} ${n}`, 1);
  await transcripts.append(JSON.parse(ref) as TranscriptRef, [{ type: 'message', message }]);
  console.log(`${name} ${n}`);
}

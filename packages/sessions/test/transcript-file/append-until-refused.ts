/** Run as a process of its own: appends to a transcript until that fails, and tells how. */

import { openTranscriptForAppend } from '../../src/exports/transcript.ts';
import type { OpenBotError } from '../../src/index.ts';

const appender = openTranscriptForAppend(process.argv[2]!);
for (let appended = 0; ; appended++) {
  try {
    await appender.append({ type: 'custom', customType: 'c', data: 'y'.repeat(3000) });
  } catch (error) {
    const { code, cause } = error as OpenBotError;
    console.log(
      JSON.stringify({ code, cause: (cause as NodeJS.ErrnoException | undefined)?.code, appended }),
    );
    break;
  }
}

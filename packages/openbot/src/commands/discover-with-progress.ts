import type { DiscoverOptions, discoverSessions } from '@openbot/claude-code';
import { printable, toJsonText } from '@openbot/sessions/terminal-text';
import type { CommandInput } from './command.ts';
import { readState } from './place.ts';
import { reportProgress } from './progress.ts';

/** A first look at many transcripts takes a while, and says so. */
export async function discoverWithProgress(
  input: CommandInput,
  discover: (options: DiscoverOptions) => ReturnType<typeof discoverSessions>,
): ReturnType<typeof discoverSessions> {
  const progress = reportProgress(input.terminal);
  try {
    return await discover({
      ...readState(input),
      env: input.env,
      onProgress: progress.tell,
      onProblem: (error, sessionId) => {
        const what = sessionId === undefined ? '' : `Left out session ${sessionId}: `;
        warn(input, `${what}${error.message}`);
      },
    });
  } finally {
    progress.end();
  }
}

/** On stderr, where with `--json` everything is JSON. */
export function warn({ flags, terminal }: CommandInput, message: string): void {
  const text = flags.json ? toJsonText({ warning: { message } }) : `Warning: ${printable(message)}`;
  terminal.writeError(`${text}\n`);
}

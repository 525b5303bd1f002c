import type { DiscoverOptions, discoverSessions } from '@openbot/claude-code';
import { reportProgress } from '@openbot/sessions';
import { writeWarning } from '@openbot/sessions/command-line';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { readAgentState, type SearchInput } from './input.ts';

/** Shows progress, because the first scan of many transcripts takes a while, and warns of sessions that were left out. */
export async function discoverWithProgress(
  input: SearchInput,
  discover: (options: DiscoverOptions) => ReturnType<typeof discoverSessions>,
): ReturnType<typeof discoverSessions> {
  return discover({
    ...readAgentState(input),
    env: input.env,
    onProgress: passOnProgress(),
    onProblem: (error, sessionId) => {
      const prefix = sessionId === undefined ? '' : `Left out session ${sessionId}: `;
      warn(input, `${prefix}${error.message}`);
    },
  });
}

/** Several sessions are read at once: the share of one large session must not take back what another one reported. */
function passOnProgress(): DiscoverOptions['onProgress'] {
  let share = 0;
  return ({ done, total, partOfLarge = 0 }) => {
    share = Math.max(share, (done + partOfLarge) / total);
    reportProgress({ step: 'list', text: `Reading ${formatQuantity(total, 'session')}` });
    reportProgress({ share: Math.min(1, share) });
  };
}

/** Writes to stderr, as JSON with `--json`. */
export function warn({ flags, terminal }: SearchInput, message: string): void {
  writeWarning(terminal, message, flags);
}

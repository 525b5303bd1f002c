import type { DiscoverOptions, discoverSessions, ScanProgress } from '@openbot/claude-code';
import type { Terminal } from '@openbot/sessions/command-line';
import { printable, toJsonText } from '@openbot/sessions/terminal-text';
import { readAgentState, type SearchInput } from './input.ts';

/** Shows progress, because the first scan of many transcripts takes a while, and warns of sessions that were left out. */
export async function discoverWithProgress(
  input: SearchInput,
  discover: (options: DiscoverOptions) => ReturnType<typeof discoverSessions>,
): ReturnType<typeof discoverSessions> {
  const progress = openProgress(input.terminal);
  try {
    return await discover({
      ...readAgentState(input),
      env: input.env,
      onProgress: progress.report,
      onProblem: (error, sessionId) => {
        const prefix = sessionId === undefined ? '' : `Left out session ${sessionId}: `;
        warn(input, `${prefix}${error.message}`);
      },
    });
  } finally {
    progress.end();
  }
}

/** Writes to stderr, as JSON with `--json`. */
export function warn({ flags, terminal }: SearchInput, message: string): void {
  const text = flags.json ? toJsonText({ warning: { message } }) : `Warning: ${printable(message)}`;
  terminal.writeError(`${text}\n`);
}

/** A shorter scan shows no progress. */
const SILENT_MS = 500;
const STEP_MS = 100;

export function openProgress(terminal: Pick<Terminal, 'showProgress'>, clock = () => performance.now()) {
  const started = clock();
  let shown: number | undefined;
  return {
    report({ done, total, partOfLarge }: ScanProgress): void {
      const now = clock();
      if (now - started < SILENT_MS || (shown !== undefined && now - shown < STEP_MS)) return;
      shown = now;
      const part = partOfLarge === undefined ? '' : `, ${Math.floor(partOfLarge * 100)}% of a large one`;
      terminal.showProgress(`Reading sessions: ${done} of ${total}${part}`);
    },
    end(): void {
      if (shown !== undefined) terminal.showProgress(undefined);
    },
  };
}

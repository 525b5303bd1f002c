import type { ScanProgress } from '@openbot/claude-code';
import type { Terminal } from './command.ts';

/** What is done sooner needs no word. */
const SILENT_MS = 500;
const STEP_MS = 100;

/** Tells a person who watches how far the look at all transcripts has come, once it takes longer than a moment. */
export function reportProgress(terminal: Pick<Terminal, 'showProgress'>, clock = () => performance.now()) {
  const started = clock();
  let shown: number | undefined;
  return {
    tell({ done, total, partOfLarge }: ScanProgress): void {
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

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The titles of one Claude Code session, by who gave them. An empty one was taken back. */
export interface ClaudeTitles {
  /** Of the last `custom-title` line. */
  readonly customTitle?: string;
  /** Of the last `ai-title` line. */
  readonly aiTitle?: string;
}

/**
 * What Claude Code itself calls a session: the name that a person gave it (`/rename`) last, else that of a model. A
 * `custom-title.json` in the session's own folder says it where no line does.
 * @param transcriptPath `<folder>/<session id>.jsonl`
 */
export function resolveClaudeTitle(
  { customTitle, aiTitle }: ClaudeTitles,
  transcriptPath: string,
): string | undefined {
  const given = customTitle ?? readTitleFile(transcriptPath);
  return [given, aiTitle].map((title) => title?.trim()).find((title) => title !== undefined && title !== '');
}

function readTitleFile(transcriptPath: string): string | undefined {
  const path = join(transcriptPath.slice(0, -'.jsonl'.length), 'custom-title.json');
  try {
    // Most sessions have none, and a list looks at thousands: a failure costs more than a look.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const { customTitle } = JSON.parse(readFileSync(path, 'utf8')) as { customTitle?: unknown };
    return typeof customTitle === 'string' ? customTitle : undefined;
  } catch {
    return undefined;
  }
}

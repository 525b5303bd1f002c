import { discoverAllSessions, discoverSessions, formatSessionList } from '@openbot/claude-code';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { discoverWithProgress } from './discover-with-progress.ts';
import type { LIST_FLAGS } from './flags.ts';
import { readRepoPath, refuseBoth } from './input.ts';

/** Lists the Claude Code sessions of one repository, or of all. */
export async function ccList(input: CommandInput<typeof LIST_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  refuseBoth(flags, 'all', 'repo');
  const limit = flags.limit ?? Number.POSITIVE_INFINITY;
  const repoPath = flags.all ? undefined : readRepoPath(input);
  const sessions = await discoverWithProgress(input, (options) =>
    repoPath === undefined ? discoverAllSessions(options) : discoverSessions(repoPath, options),
  );
  const listed = sessions.slice(0, limit);
  if (flags.json) {
    writeJson(terminal, listed);
    return;
  }
  if (sessions.length === 0) {
    terminal.say(`No Claude Code sessions${repoPath === undefined ? '' : ` of ${printable(repoPath)}`}.\n`);
    return;
  }
  terminal.write(
    formatSessionList(listed, {
      now: new Date(),
      columns: terminal.maxLineWidth,
      palette: terminal.palette,
      showsRepo: flags.all === true,
      total: sessions.length,
    }),
  );
}

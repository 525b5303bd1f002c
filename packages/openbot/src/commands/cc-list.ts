import { discoverAllSessions, discoverSessions, formatSessionList } from '@openbot/claude-code';
import { printable } from '@openbot/sessions/terminal-text';
import { type Command, writeJson } from './command.ts';
import { discoverWithProgress } from './discover-with-progress.ts';
import { readCount, readRepoPath, refuseBoth } from './input.ts';

/** Lists the Claude Code sessions of one repository, or of all. */
export const ccList: Command = async (input) => {
  const { flags, terminal } = input;
  refuseBoth(input, 'all', 'repo');
  const limit = readCount(input, 'limit') ?? Number.POSITIVE_INFINITY;
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
    terminal.write(`No Claude Code sessions${repoPath === undefined ? '' : ` of ${printable(repoPath)}`}.\n`);
    return;
  }
  terminal.write(
    formatSessionList(listed, {
      now: new Date(),
      columns: terminal.columns,
      palette: terminal.palette,
      showsRepo: flags.all === true,
      total: sessions.length,
    }),
  );
};

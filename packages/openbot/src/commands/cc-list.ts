import { discoverAllSessions, discoverSessions, formatSessionList } from '@openbot/claude-code';
import { OpenBotError } from '@openbot/sessions';
import { printable } from '@openbot/sessions/terminal-text';
import { type Command, writeJson } from './command.ts';
import { discoverWithProgress } from './discover-with-progress.ts';
import { readCount } from './numbers.ts';
import { readRepoPath } from './place.ts';

/** The Claude Code sessions of a repository, or of all. */
export const ccList: Command = async (input) => {
  const { flags, terminal } = input;
  if (flags.all && flags.repo !== undefined) {
    throw new OpenBotError('USAGE', '--all and --repo contradict each other', {
      hint: 'Leave one of them out',
    });
  }
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

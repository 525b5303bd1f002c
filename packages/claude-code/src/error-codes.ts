/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const CLAUDE_CODE_ERRORS = {
  REPO_NOT_FOUND: {
    means:
      'The folder whose Claude Code sessions or state were asked for is not there, cannot be reached, or is no folder.',
    remedy: 'Check the path; a repository that was moved is asked for by its new path.',
  },
  REGISTRY_UNREADABLE: {
    means:
      "The file in which an agent's Claude Code sessions are written down is damaged, of a later version, or cannot be read. The message names it; it was left as it is.",
    remedy:
      'Repair the file, or move it away: its sessions are then found by their transcripts alone, without cost, label and tasks.',
  },
  SESSION_FOLDER_UNREADABLE: {
    means:
      "A folder of Claude Code's sessions is there but cannot be read: no permission, a link that leads to itself, a failing disk. Its sessions are left out of what was listed.",
    remedy: 'Look at the path that the message names, and at what it links to.',
  },
  SELECTION_CONFIG_INVALID: {
    means:
      'A setting of how Claude Code sessions are chosen has a value that does not fit. The message names the setting and what it wants.',
    remedy: 'Correct the value, or leave it out for the default that the hint names.',
  },
  SDK_NOT_INSTALLED: {
    means:
      'An optional package that a feature needs is not installed: `@anthropic-ai/claude-agent-sdk` for running Claude Code, `@anthropic-ai/sdk` for the rating of sessions by a model, `@modelcontextprotocol/sdk` for the MCP server. The message names it.',
    remedy:
      'Install the package that the hint names. Without `@anthropic-ai/sdk`, sessions are chosen by the words of their tasks.',
  },
  REPO_BUSY: {
    means:
      'In this repository, worktrees included, a run of Claude Code is at work and another one waits for it; the message says which processes they are. Or the run was to be started from within one that is at work there, directly or over runs in other repositories, and would have waited for itself; the message names the session. Nothing was started.',
    remedy:
      'Try again when one of them has ended; a run that is only kept open for follow-ups makes room by itself. Within a run, do the work in its session.',
  },
  SESSION_BUSY: {
    means:
      'Another run has this Claude Code session, perhaps from another repository. Two at once would each lose what the other says. Nothing was started.',
    remedy: 'Wait for the end of that run, or start a fresh session.',
  },
  SESSION_OPEN: {
    means:
      "A Claude Code has this session open, such as a person's in a terminal; the message names its process. It would go on from what it has in memory, and what a run says meanwhile would be lost. Nothing was started.",
    remedy:
      "Close it there, or go on in a copy of it: by `session: { action: 'fork' }`, with `openbot cc run` by `--session <id> --fork`.",
  },
  BUDGET_SPENT: {
    means:
      'The Claude Code session that was to be resumed has cost what it may cost, all its runs together. Nothing was started.',
    remedy: 'Give it a larger budget, or start a fresh session.',
  },
  CLAUDE_NOT_STARTED: {
    means: 'Claude Code ended before it began, or there is no such program. The message holds what it said.',
    remedy:
      'Check the installation of `@anthropic-ai/claude-agent-sdk` with the package for your platform, or name the program: by `pathToClaudeCodeExecutable`, with `openbot cc run` by `--claude`.',
  },
  RUN_ENDED: {
    means:
      'A follow-up was sent to a run of Claude Code that has ended or is about to: its idle time or its budget is over, it failed, or it made room for another run.',
    remedy: 'Start another run on the same session.',
  },
  CONVERSATION_REFUSED: {
    means:
      'A tool of the MCP server was called for a conversation other than the one that requested its run.',
    remedy: "Leave the key out. A server that is started without a conversation can read any of its agent's.",
  },
  SEND_NOT_POSSIBLE: {
    means:
      'The tool for sending messages was called, and the MCP server was started without a way to send them.',
    remedy:
      'Put the message into the answer of the run, or start the server where messages can be delivered.',
  },
} as const;

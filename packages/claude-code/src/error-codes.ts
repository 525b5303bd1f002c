/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const CLAUDE_CODE_ERRORS = {
  REPO_NOT_FOUND: {
    means:
      'The folder whose Claude Code sessions or status were requested does not exist, cannot be reached, or is not a folder.',
    remedy: 'Check the path. If the repository was moved, use its new path.',
  },
  REGISTRY_UNREADABLE: {
    means:
      "The registry of an agent's Claude Code sessions is damaged, has a newer version, or cannot be read. The message names the file; it was not changed.",
    remedy:
      'Repair the file, or move it away: its sessions are then found by their transcripts alone, without cost, label and tasks.',
  },
  REGISTRY_WRITE_FAILED: {
    means:
      "The registry of the agent's Claude Code sessions cannot be written: its folder cannot be made or is read-only, or the disk is full. A run would have no label, and its budget would end with it, so none was started. A registry that cannot be written later is a warning of the run.",
    remedy: 'Correct what the message names, or name another state folder.',
  },
  SESSION_FOLDER_UNREADABLE: {
    means:
      "A folder of Claude Code's sessions exists but cannot be read: no permission, a link that leads to itself, a failing disk. Its sessions are missing from the list.",
    remedy: 'Check the path that the message names, and what it links to.',
  },
  SELECTION_CONFIG_INVALID: {
    means:
      'A setting for the choice of Claude Code sessions has a value that is not valid. The message names the setting and the valid values.',
    remedy: 'Correct the value, or leave it out for the default that the hint names.',
  },
  SDK_NOT_INSTALLED: {
    means:
      'An optional package that a feature needs is not installed: `@anthropic-ai/claude-agent-sdk` for running Claude Code, `@anthropic-ai/sdk` for rating sessions with a model, `@modelcontextprotocol/sdk` for the MCP server. The message names it.',
    remedy:
      'Install the package that the hint names. Without `@anthropic-ai/sdk`, sessions are chosen by the words of their tasks.',
  },
  REPO_BUSY: {
    means:
      'In this repository, including its worktrees, one run of Claude Code is working and another one is waiting; the message names their processes. Or the run was started from within a run in the same repository, directly or through runs in other repositories, and would have waited for itself; the message names the session. Nothing was started.',
    remedy:
      'Try again when one of them has ended; a run that is only kept open for follow-ups makes room automatically. Within a run, do the work in its session.',
  },
  SESSION_BUSY: {
    means:
      'Another run is using this Claude Code session, perhaps from another repository. Two runs at once would lose messages. Nothing was started.',
    remedy: 'Wait for the end of that run, or start a fresh session.',
  },
  SESSION_OPEN: {
    means:
      'A Claude Code process has this session open, for example in a terminal; the message names the process. It would continue from what it has in memory, and the messages of a run would be lost. Nothing was started.',
    remedy:
      "Close it there, or continue in a copy: `session: { action: 'fork' }`, or `--session <id> --fork` with `openbot cc run`.",
  },
  BUDGET_SPENT: {
    means:
      'The Claude Code session has used its budget, which is for all its runs together. Nothing was started.',
    remedy: 'Give it a larger budget, or start a fresh session.',
  },
  CLAUDE_NOT_STARTED: {
    means:
      'Claude Code could not be started, or it ended before it began to work. The message contains its error output.',
    remedy:
      'Install `@anthropic-ai/claude-agent-sdk` again with its optional package for your platform, or name the program: `pathToClaudeCodeExecutable`, or `--claude` with `openbot cc run`.',
  },
  RUN_ENDED: {
    means:
      'A follow-up was sent to a run of Claude Code that has ended or is about to end: its idle time or its budget is used up, it failed, or it made room for another run.',
    remedy: 'Start another run on the same session.',
  },
  CONVERSATION_REFUSED: {
    means:
      'A tool of the MCP server was called for a conversation other than the one that requested its run.',
    remedy:
      'Leave the key out. A server that is started without a conversation can read all conversations of its agent.',
  },
  SEND_NOT_POSSIBLE: {
    means:
      'The tool for sending messages was called, but the MCP server was started without a way to send them.',
    remedy:
      'Put the message into the answer of the run, or start the server where messages can be delivered.',
  },
} as const;

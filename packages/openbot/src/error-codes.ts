/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const OPENBOT_ERRORS = {
  RUN_FAILED: {
    means:
      '`openbot cc run` ended without success: Claude Code or the model failed, the budget was reached, or the run was aborted. The message says which.',
    remedy: 'Read the message; the hint says how to continue the session.',
  },
  NODE_TOO_OLD: {
    means: '`openbot` was started by a Node that is older than 22.19. Nothing was done.',
    remedy: 'Install a newer Node, or start `openbot` with another one; the message names the one that ran.',
  },
  NOT_BUILT: {
    means: '`openbot` was started from its sources before they were built.',
    remedy: 'Run `npm run build` in the folder of the repository.',
  },
} as const;

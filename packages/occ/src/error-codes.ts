/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const OCC_ERRORS = {
  CANCELLED: {
    means:
      'The person at the terminal cancelled the choice of a session. The exit code is 130, and nothing was changed.',
    remedy: 'Run the command again, or name the session.',
  },
  AMBIGUOUS_SESSION: {
    means:
      'The beginning of an id, or a label, matches several sessions. The message lists them. `openbot cc` reports `USAGE` instead.',
    remedy: 'Give more characters, the session key or the path.',
  },
  NO_SESSIONS: {
    means: 'No session was named, and there is none to choose.',
    remedy: 'Check the agent and the state folder; `occ list --source all` shows all sessions.',
  },
  SESSION_NOT_NAMED: {
    means:
      "`occ` runs in the shell of an agent, no session was named, and the agent's own session was not recognised. The most recently active session might belong to another agent.",
    remedy:
      'Name the session by its id, key or path. OpenClaw writes id and key into the prompt of its agent; `occ list` shows all sessions.',
  },
  UNKNOWN_PRESET: {
    means: 'No preset of that name is built in or configured.',
    remedy: 'Use one that the hint lists, or define it under `customPresets`.',
  },
  SESSION_IN_USE: {
    means: 'Another process writes to the session, or seems to. The message names it. Nothing was changed.',
    remedy:
      "Wait with `--wait`, or clean in the background with `--when-idle`. In OpenClaw's database only a run of a model that binds thinking is in the way.",
  },
  SESSION_UNSUPPORTED: {
    means:
      "The file that was named is not a session that can be cleaned: a backup, an archive, another kind of file, or a format that this version does not know. Or the session in OpenClaw's database is in cold storage, has an id that cannot be a file name, or has an unknown structure, or openbot was asked for a turn or a removal there. Nothing was changed.",
    remedy:
      'Name the session itself; `occ list` shows the sessions. For a session in a database, follow the hint.',
  },
  EDIT_FAILED: {
    means:
      'An edit could not be finished: the session could not be parsed, written or backed up. The session was not changed. With `--json`, `reason` is the more precise code, if there is one: of these tables (`SESSION_UNSUPPORTED`, `TRANSCRIPT_UNREADABLE`, `DATABASE_WRITE_FAILED`) or of the system (`ENOSPC`).',
    remedy:
      'Remove the cause that the message names, often disk space or permissions, and repeat the command.',
  },
  CLONE_FAILED: {
    means: 'A clone could not be made. Nothing is left of it. `reason` is as for `EDIT_FAILED`.',
    remedy: 'Remove the cause that the message names, and repeat the command.',
  },
  RESTORE_FAILED: {
    means:
      'The backup does not exist or could not be restored, or the model would not read all that is restored. The session was not changed.',
    remedy:
      '`occ restore <id> --list` shows the backups. `--force` restores one although the model would not read a part of it, and says which part.',
  },
} as const;

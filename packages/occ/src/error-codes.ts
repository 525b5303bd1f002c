/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const OCC_ERRORS = {
  AMBIGUOUS_SESSION: {
    means:
      'Given to `occ`, the beginning of an id, or a label, fits several sessions. The message lists them. `openbot cc` answers with `USAGE`.',
    remedy: 'Give more characters, the session key or the path.',
  },
  NO_SESSIONS: {
    means: 'There is no session to choose where none was named.',
    remedy: 'Check the agent and the state folder; `occ list --source all` shows all sessions.',
  },
  SESSION_NOT_NAMED: {
    means:
      '`occ` runs in the shell of an agent, no session was named, and none was recognised as the caller. The most recently active one might belong to another agent.',
    remedy:
      'Name the session by its id, key or path. OpenClaw tells its agent both in the prompt; `occ list` shows all.',
  },
  AGENT_NOT_FOUND: {
    means: 'The state folder has no such agent. The hint lists those it has.',
    remedy: 'Name one of those with `--agent`, or another folder with `--state-dir`.',
  },
  UNKNOWN_PRESET: {
    means: 'No preset of that name is built in or configured.',
    remedy: 'Use one that the hint lists, or define it under `customPresets`.',
  },
  CONFIG_INVALID: {
    means:
      'A configuration file or an `OCC_*` variable holds a value that does not fit, or names an unknown preset, or a file that `--config` names cannot be read. The message names file and key, or the variable.',
    remedy: 'Correct the value that the message names; the package README lists all keys.',
  },
  SESSION_IN_USE: {
    means: 'Another process writes to the session or seems to. The message names it. Nothing was changed.',
    remedy:
      "Wait with `--wait`, or leave it to a background process with `--when-idle`. Sessions in OpenClaw's database never fail with this.",
  },
  SESSION_UNSUPPORTED: {
    means:
      "The file that was named is no session that can be worked on: a backup, an archive, another kind of file, or nothing that this version understands. Or the session in OpenClaw's database is in cold storage, has an id that is no name for a file, or has a structure that is not known, which the message names. Nothing was changed.",
    remedy: 'Name the session itself; `occ list` shows them. For one in a database do what the hint says.',
  },
  EDIT_FAILED: {
    means:
      'An edit could not be finished: the session could not be parsed, written or backed up. The session is as it was. With `--json`, `reason` holds the finer code where there is one: of this table (`SESSION_UNSUPPORTED`, `TRANSCRIPT_UNREADABLE`, `DATABASE_WRITE_FAILED`) or of the system (`ENOSPC`).',
    remedy: 'Remove the cause that the message names, often disk space or rights, and repeat it.',
  },
  CLONE_FAILED: {
    means: 'A clone could not be made. Nothing is left of it. `reason` is as for `EDIT_FAILED`.',
    remedy: 'Remove the cause that the message names and repeat it.',
  },
  RESTORE_FAILED: {
    means:
      'There is no such backup, or it could not be put back, or the model would not be given all that comes back. The session is as it was.',
    remedy:
      '`occ restore <id> --list` shows the backups that there are. `--force` puts one back although the model would miss a part, and says which.',
  },
} as const;

/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const SESSIONS_ERRORS = {
  UNEXPECTED: {
    means:
      'The system refused an operation that has no code of its own, for example because the disk of the output is full or the temp folder does not exist; or `occ` or `openbot` has a fault.',
    remedy:
      'Follow the hint. With `--verbose`, `occ` shows where it happened; include that when you report a fault.',
  },
  USAGE: {
    means:
      'The command line is not valid: an unknown flag, a missing value, flags that contradict each other, a folder that does not exist; with `openbot cc run`, also a `--session` that matches no session or several, or one of another repository. The exit code of `openbot` is 2.',
    remedy: 'Read the message; `occ <command> --help` or `openbot <command> --help` lists the flags.',
  },
  INVALID_ARGUMENT: {
    means:
      'A value is of the wrong kind or out of range: an hour of 25, an empty name, a label that is too long.',
    remedy: 'Correct the value that the message names.',
  },
  INVALID_SESSION_KEY: {
    means: 'The text is not a session key, or it contains characters that a key must not contain.',
    remedy: 'Use a key as the session list prints it, such as `agent:main:main`.',
  },
  INVALID_SESSION_ID: {
    means:
      'The text cannot be a session id: ids become file names, so separators, `..` and control characters are refused.',
    remedy: 'Use an id as the session list prints it.',
  },
  PATH_ESCAPES_FOLDER: {
    means:
      "An id, key or stored path points outside the agent's own folder, directly or through a symbolic link.",
    remedy:
      'Do not follow it. Find out which program wrote that value; correct or remove the entry that holds it.',
  },
  AGENT_MISMATCH: {
    means:
      "A session key of one agent was used on the state of another, or a link leads from one agent's folder to the files of another.",
    remedy: 'Open the state of the agent that the key names. Give each agent a folder of its own.',
  },
  SESSION_NOT_FOUND: {
    means:
      'The store has no entry for this key, id or label; `occ` finds no such session; a tool of the MCP server finds no such conversation. `openbot cc` reports `USAGE` instead.',
    remedy: 'List the sessions. Check the agent and the state folder, which the message names.',
  },
  AGENT_NOT_FOUND: {
    means:
      'There is no such agent: the state folder has none, or the configuration of `openbot` lists others. The hint lists those that exist.',
    remedy:
      'Name one of them with `--agent`, or another folder with `--state-dir`. For `openbot`, add the agent to `agents.list` of `openbot.json`.',
  },
  CONFIG_INVALID: {
    means:
      'A configuration file (of `occ`, or `openbot.json`) or an `OCC_*` variable has a value that is not valid, names an unknown preset or a variable that is not set, or the file cannot be read. The message names file and key, or the variable; it never shows the value of a variable.',
    remedy:
      'Correct the value that the message names. The README of `occ` and [config.md](config.md) list all keys.',
  },
  CONFIG_UNREADABLE: {
    means:
      "OpenClaw's `openclaw.json` is not valid JSON5, cannot be read, or names a variable that is not set. Because it may name another folder for sessions, `occ` does not guess a session; if one is named, it warns and continues.",
    remedy: 'Repair the file that the message names.',
  },
  STORE_UNREADABLE: {
    means: 'The store exists but cannot be read: no permission, a folder in its place, a failing disk.',
    remedy: 'Look at the path that the message names. Nothing was changed.',
  },
  STORE_PARSE_FAILED: {
    means:
      'The store is not valid JSON. The message names file and position. If `occ` finds transcripts beside it, this is a warning.',
    remedy:
      'Repair the file or restore a backup of it. It is never treated as an empty store. In a state folder of its own, the gateway makes it anew (`openbot doctor --fix` at once) and keeps the torn file; everywhere else it is never overwritten.',
  },
  STORE_NOT_AN_OBJECT: {
    means: 'The store is valid JSON but not an object of session keys: an array, a number, `null`.',
    remedy: 'As for `STORE_PARSE_FAILED`: repair it or restore a backup.',
  },
  STORE_ENTRY_INVALID: {
    means:
      'The value under a session key, or the value to be written there, is not an object. Nothing was changed.',
    remedy: 'Repair the value by hand or delete the entry. A new entry must be an object that JSON can hold.',
  },
  STORE_CONFLICT: {
    means:
      'The entry was changed during its own update: by a program that does not take the lock, or inside the callback of the update. Nothing was written.',
    remedy: 'Repeat the operation. Do not change an entry inside its own update.',
  },
  STORE_WRITE_FAILED: {
    means:
      'The new content could not be written, for example because the disk is full. The old content is intact, unless the hint says that the new content is in place: then it was written, but the disk did not confirm that it would survive a power cut.',
    remedy: 'Remove the cause, then repeat the operation. If the new content is in place, check it first.',
  },
  LOCK_TIMEOUT: {
    means:
      'Another process held the lock for the whole waiting time. The message names it, if the lock does.',
    remedy:
      'Wait for the holder or end it. The lock of a process that has ended is taken over automatically; do not delete the file while its holder runs.',
  },
  LOCK_FAILED: {
    means:
      'The lock file could not be created: its folder is read-only or could not be created, or the disk is full.',
    remedy: 'Correct what the message names. Nothing was changed.',
  },
  LOCK_NOT_RELEASED: {
    means: 'The operation was completed, but its lock file could not be removed.',
    remedy:
      'Do not repeat the operation. The lock is valid until the process that made it has ended; then the next process takes it over. Or remove the file that the message names.',
  },
  LOCK_LOST: {
    means: 'The lock was lost before the work was finished, so the result was not written.',
    remedy:
      'Repeat the operation. If it happens again, a program deletes lock files, or the process is suspended for a long time.',
  },
  TRANSCRIPT_NOT_FOUND: {
    means: 'The transcript that a session id points to is not on disk.',
    remedy:
      'Check the archives beside it (`.reset.`, `.deleted.`, `.bak.`). Reset the session to start a new transcript.',
  },
  TRANSCRIPT_UNREADABLE: {
    means:
      'The transcript exists but cannot be read: no permission, a folder in its place, a failing disk. Broken lines do not cause this: they are reported and kept.',
    remedy: 'Look at the path that the message names. Nothing was changed.',
  },
  TRANSCRIPT_HEADER_INVALID: {
    means:
      'The file does not begin with a session header, or a byte order mark precedes it, so agents would refuse it or, in older versions, overwrite it. Nothing was written.',
    remedy:
      'Check that it is a transcript of OpenClaw or pi. `repairTranscriptHeader` adds a header, or removes the mark, and keeps every line.',
  },
  TRANSCRIPT_WRITE_FAILED: {
    means: 'A line or a rewritten transcript could not be written. Finished lines are intact.',
    remedy:
      'Remove the cause, then repeat the operation; the next append leaves a half-written last line on a line of its own.',
  },
  TRANSCRIPT_NOT_SYNCED: {
    means:
      'A transcript was replaced by its new content, but the disk failed right after that. The new content is in place, but it may not survive a power cut.',
    remedy: 'Check the disk. After a power cut the transcript is the old one or the new one.',
  },
  TRANSCRIPT_EXISTS: {
    means: 'A new transcript was to be created, but the file already exists.',
    remedy: 'Use another session id, or open the existing file.',
  },
  TRANSCRIPT_UNSUPPORTED: {
    means:
      'The transcript belongs to Claude Code, which has its own rules for a rewrite, or OpenClaw moved its lines out of the database. Nothing was changed.',
    remedy: 'Use that program, or `occ` for a clean.',
  },
  DATABASE_UNREADABLE: {
    means:
      "OpenClaw's database does not exist, is not a database, is damaged, or cannot be read: no permission, a folder in its place, a failing disk. If `occ` finds sessions in files beside it, this is a warning.",
    remedy: 'Look at the path that the message names. Nothing was changed.',
  },
  DATABASE_UNSUPPORTED: {
    means:
      "The schema of OpenClaw's database has an unknown version: columns that reading or writing needs are missing, or it was to be changed without `--force`. The message names what is missing.",
    remedy:
      'Update `occ`. `--force` allows a change if only the version is unknown; copy the database first.',
  },
  DATABASE_WITHOUT_SESSIONS: {
    means:
      'The database has no tables of sessions: OpenClaw up to 2026.7 uses the same file for auth profiles and its memory index, and keeps sessions in files. This happens only if such a database is read or changed directly; a search continues with the files.',
    remedy: 'Name the session by its id or the path of its transcript.',
  },
  DATABASE_BUSY: {
    means:
      "Another program, probably OpenClaw's gateway, was writing to the database for the whole waiting time. Nothing was changed.",
    remedy:
      'Try again, wait longer with `--wait` (`edit` and `restore`), or stop the program that holds the database.',
  },
  DATABASE_WRITE_FAILED: {
    means:
      'The database could not be changed: the disk is full or fails, the file is read-only, or a row breaks a rule of the database. The transaction was undone.',
    remedy: 'Remove the cause, then repeat the operation.',
  },
} as const;

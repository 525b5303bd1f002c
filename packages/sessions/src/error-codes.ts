/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const SESSIONS_ERRORS = {
  UNEXPECTED: {
    means:
      'The system refused an operation for which there is no other code, such as a full disk under the output or a temp folder that is none, or `occ` or `openbot` has a fault.',
    remedy:
      'Do what the hint says. With `--verbose` `occ` shows where it happened; report a fault with that.',
  },
  USAGE: {
    means:
      'The command line does not make sense: an unknown flag, a missing value, flags that contradict each other, a folder that is not there; with `openbot cc run`, also a `--session` that is the beginning of no id or of several, or that is of another repository.',
    remedy: 'Look at the message; `occ <command> --help` or `openbot <command> --help` lists the flags.',
  },
  INVALID_ARGUMENT: {
    means:
      'A value is of the wrong kind or out of range: an hour of 25, an empty name, a label that is too long.',
    remedy: 'Correct the value that the message names.',
  },
  INVALID_SESSION_KEY: {
    means: 'The text is not a session key, or holds something that no key may hold.',
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
    remedy: 'Do not follow it. Find out who wrote that value; correct or remove the entry that holds it.',
  },
  AGENT_MISMATCH: {
    means:
      "A session key of one agent was used on the state of another, or a link leads from one agent's folder to the files of another.",
    remedy: 'Open the state of the agent that the key names. Give each agent a folder of its own.',
  },
  SESSION_NOT_FOUND: {
    means:
      'The store holds no entry for this key, id or label. `occ` finds no such session; a tool of the MCP server no such conversation. `openbot cc` answers with `USAGE`.',
    remedy: 'List the sessions. Check the agent and the state folder, which the message names.',
  },
  CONFIG_UNREADABLE: {
    means:
      "OpenClaw's `openclaw.json` is not valid JSON5, cannot be read, or names a variable that is not set. It may move sessions to another folder, so no session is guessed; `occ` warns and goes on where one is named.",
    remedy: 'Repair the file that the message names.',
  },
  STORE_UNREADABLE: {
    means: 'The store is there but cannot be read: no permission, a folder in its place, a failing disk.',
    remedy: 'Look at the path that the message names. Nothing was changed.',
  },
  STORE_PARSE_FAILED: {
    means:
      'The store is not valid JSON. The message names file and position. Where `occ` finds transcripts beside it, this is a warning.',
    remedy:
      'Repair the file or put a backup in its place. It is never overwritten and never taken for an empty store.',
  },
  STORE_NOT_AN_OBJECT: {
    means: 'The store is valid JSON but no object of session keys: an array, a number, `null`.',
    remedy: 'As for `STORE_PARSE_FAILED`: repair it or restore a backup.',
  },
  STORE_ENTRY_INVALID: {
    means:
      'Something other than an object is kept under a session key, or was to be written there. It was left as it is.',
    remedy: 'Repair the value by hand or delete the entry. A new entry must be an object that JSON can hold.',
  },
  STORE_CONFLICT: {
    means:
      'The entry was changed by someone else while it was being changed: by a program that does not take the lock, or inside the callback that changes it. Nothing was written.',
    remedy: 'Repeat the operation. Do not change an entry inside its own update.',
  },
  STORE_WRITE_FAILED: {
    means:
      'The new content could not be written, for example because the disk is full. The old content is intact, unless the hint says that the new content is in place: then the disk took it, but did not confirm that it survives a power cut.',
    remedy: 'Remove the cause, then repeat the operation; if the new content is in place, look at it first.',
  },
  LOCK_TIMEOUT: {
    means:
      'Someone else held the lock for as long as we were willing to wait. The message says who, if the lock tells.',
    remedy:
      'Wait for the holder or end it. A lock of a dead process is taken over by itself; do not delete the file by hand while its holder lives.',
  },
  LOCK_FAILED: {
    means:
      'The lock file could not be made at all: its folder is read-only or could not be made, or the disk is full.',
    remedy: 'Correct what the message names. Nothing was changed: no work is done without its lock.',
  },
  LOCK_NOT_RELEASED: {
    means: 'The work that a lock was taken for is done, but the lock file could not be removed after it.',
    remedy:
      'Do not repeat the operation. The lock counts until the process that made it has ended; after that the next one takes it over, or remove the file that the message names.',
  },
  LOCK_LOST: {
    means: 'The lock was no longer ours when the work was done, so the result was not written.',
    remedy:
      'Repeat the operation. If it recurs, something deletes lock files or the process is suspended for long.',
  },
  TRANSCRIPT_NOT_FOUND: {
    means: 'The transcript that a session id points to is not on disk.',
    remedy:
      'Check the archives beside it (`.reset.`, `.deleted.`, `.bak.`). Reset the session to start a new transcript.',
  },
  TRANSCRIPT_UNREADABLE: {
    means:
      'The transcript is there but cannot be read: no permission, a folder in its place, a failing disk. Broken lines are no such failure: they are reported and kept.',
    remedy: 'Look at the path that the message names. Nothing was changed.',
  },
  TRANSCRIPT_HEADER_INVALID: {
    means:
      'The file does not begin with a session header, or a byte order mark precedes it, so agents would refuse it or, in older versions, overwrite it. Nothing was written.',
    remedy:
      'Check that it is a transcript of OpenClaw or pi. `repairTranscriptHeader` puts a header in front, or drops the mark, and keeps every line.',
  },
  TRANSCRIPT_WRITE_FAILED: {
    means: 'A line or a rewritten transcript could not be written. Finished lines are intact.',
    remedy:
      'Remove the cause, then repeat the operation; a half-written last line is dealt with by the next append.',
  },
  TRANSCRIPT_NOT_SYNCED: {
    means:
      'A transcript was replaced by its new content, but the disk failed right after that. The new content is in place; whether it outlasts a power cut is not certain.',
    remedy: 'Check the disk. After a power cut the transcript is the old one or the new one.',
  },
  TRANSCRIPT_EXISTS: {
    means: 'A new transcript was to be created where a file already is.',
    remedy: 'Use another session id, or open the file that is there.',
  },
  TRANSCRIPT_UNSUPPORTED: {
    means:
      'The transcript is of another program (Claude Code), whose rules for a rewrite are its own, or OpenClaw moved its lines out of the database. Nothing was changed.',
    remedy: 'Use that program, or `occ` for a clean.',
  },
  DATABASE_UNREADABLE: {
    means:
      "OpenClaw's database is not there, is no database, is damaged, or cannot be read: no permission, a folder in its place, a failing disk. Where `occ` finds sessions in files beside it, this is a warning.",
    remedy: 'Look at the path that the message names. Nothing was changed.',
  },
  DATABASE_UNSUPPORTED: {
    means:
      "The schema of OpenClaw's database is of another version than the known one: columns are missing that reading or writing needs, or it was to be changed without `--force`. The message names what is missing.",
    remedy:
      'Update `occ`. For a change, `--force` overrides a version that is only unknown; copy the database first.',
  },
  DATABASE_WITHOUT_SESSIONS: {
    means:
      'The database has no tables of sessions: OpenClaw up to 2026.7 makes the same file for auth profiles and its memory index, and keeps sessions in files. Met only where such a database is to be read or changed itself; a search goes on with the files.',
    remedy: 'Name the session by its id or the path of its transcript.',
  },
  DATABASE_BUSY: {
    means:
      "Another program, probably OpenClaw's gateway, was writing to the database for as long as we were willing to wait. Nothing was changed.",
    remedy:
      'Try again, wait longer with `--wait` (`edit` and `restore`), or stop the program that holds the database.',
  },
  DATABASE_WRITE_FAILED: {
    means:
      'The database could not be changed: the disk is full or fails, the file is read-only, or a row breaks a rule of the database. The transaction was undone.',
    remedy: 'Remove the cause, then repeat the operation.',
  },
} as const;

/** `occ --quickstart`: what an agent needs to know, in about 250 tokens. */
export const QUICKSTART = `occ - OpenClaw Context Cleaner

WHEN TO USE:
  Running low on context? Remove old tool calls and keep working.
  What was said is kept. A backup is made first.

PRESETS:
  default     Keep the newest 20 turns with tools, shorten the older half
  aggressive  Keep the newest 10, shorten the older half
  extreme     Remove all tool calls

COMMON COMMANDS:
  occ info                               Show where the context goes
  occ edit --strip-tools --dry-run       Show the plan, change nothing
  occ edit --strip-tools                 Clean the current session
  occ edit abc123 --strip-tools=extreme  Another session, another preset
  occ clone abc123 --strip-tools         Clean a copy instead
  occ list                               List the sessions
  occ restore                            Undo the last edit

CLEANING YOURSELF:
  OpenClaw, SQLite: edited at once; your next turn reads it.
  OpenClaw, files: scheduled. End your turn: the edit is made when
  your run has ended. 'occ info' then shows the result.
  Claude Code and pi: the clean counts from the next resume.
  'scheduled' in the output (newer models): end your turn first.

FLAGS:
  --json       Machine-readable output (errors: JSON on stderr)
  --verbose    Detailed statistics
  --help       Full documentation
`;

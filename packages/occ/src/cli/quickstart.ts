/** `occ --quickstart`: what an agent needs to know, in about 250 tokens. */
export const QUICKSTART = `occ - OpenClaw Context Cleaner

WHEN TO USE:
  Running low on context? Remove old tool calls and keep working.
  What was said stays. A backup is made first.

PRESETS:
  default     Keep 20 recent turns with tools, shorten the older half
  aggressive  Keep 10 recent turns, shorten the older half
  extreme     Remove all tool calls

COMMON COMMANDS:
  occ info                               Where context goes, what presets save
  occ edit --strip-tools --dry-run       Show the plan, change nothing
  occ edit --strip-tools                 Clean the current session
  occ edit abc123 --strip-tools=extreme  Another session, another preset
  occ clone abc123 --strip-tools         Clean a copy instead
  occ list                               Available sessions
  occ restore                            Undo the last edit

CLEANING YOURSELF:
  OpenClaw, SQLite: edited at once; your next turn is clean.
  OpenClaw, files: scheduled. End your turn, it runs when your run
  ends. 'occ info' then shows the outcome.
  Claude Code: it shows at the next resume.

FLAGS:
  --json       Machine-readable output (errors: JSON on stderr)
  --verbose    Detailed statistics
  --help       Full documentation
`;

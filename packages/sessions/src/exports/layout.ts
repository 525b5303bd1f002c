/** `@openbot/sessions/layout`: where OpenClaw, Claude Code and this library keep their files. */

// Folders

export { resolveAgentDir } from '../layout/paths.ts';
export { resolveAgentFolderName } from '../layout/safe-id.ts';
export {
  AGENT_ID_ENV_NAMES,
  type Environment,
  OPENBOT_STATE,
  OPENCLAW_STATE,
  resolveHomeDir,
  resolveOpenclawHome,
  resolveUserPath,
  type StateDirConvention,
} from '../layout/state-dir.ts';

// Files

export { type DataFile, fillInVariables, readDataFile, readSmallFile } from '../layout/data-file.ts';
export { classifySessionFileName, findFreeArchivePath, STORE_FILE_NAME } from '../layout/file-name.ts';
export { AGENT_DATABASE_NAME, resolveAgentDatabasePath } from '../layout/paths.ts';
export { findRealPath } from '../layout/real-path.ts';
export { runLockPathOf, sessionAddressOf } from '../layout/run-lock.ts';
export { assertSessionId, isSessionId, transcriptFileName } from '../layout/safe-id.ts';

// OpenClaw's own settings

export { type OpenclawConfig, readOpenclawConfig } from '../layout/openclaw-config.ts';
export { type OpenclawLayout, openclawLayoutOf } from '../layout/openclaw-layout.ts';

// Claude Code's project folders

export { claudeProjectSlug, MAX_SLUG, maySlugBeBelow } from '../layout/project-slug.ts';

import { expect, test } from 'vitest';
import * as sessions from '../src/index.ts';
import * as database from '../src/openclaw-database.ts';

// The names under which people who come from OpenClaw look for these functions. None may be renamed or left out.
test.each([
  // keys
  'buildAgentMainSessionKey',
  'buildAgentPeerSessionKey',
  'normalizeAgentId',
  'normalizeMainKey',
  'parseAgentSessionKey',
  'resolveGroupSessionKey',
  'resolveSessionKey',
  // paths
  'resolveDefaultSessionStorePath',
  'resolveSessionTranscriptPath',
  'resolveSessionTranscriptsDirForAgent',
  'resolveSessionFilePath',
  'resolveStorePath',
  // the store
  'loadSessionStore',
  'saveSessionStore',
  'updateSessionStore',
  'updateSessionStoreEntry',
  'withSessionStoreLock',
  'clearSessionStoreCacheForTest',
  'recordSessionMetaFromInbound',
  'updateLastRoute',
  // transcripts
  'appendAssistantMessageToSessionTranscript',
  'emitSessionTranscriptUpdate',
  'onSessionTranscriptUpdate',
  // the life of a session
  'applyResetModelOverride',
  'evaluateSessionFreshness',
  'forkSessionFromParent',
  'incrementCompactionCount',
  'initSessionState',
  'persistSessionUsageUpdate',
  // policies
  'parseSessionLabel',
  'resolveDailyResetAtMs',
  'resolveSendPolicy',
  'shouldRunMemoryFlush',
])('%s is a function of the package', (name) => {
  expect(sessions).toHaveProperty(name, expect.any(Function));
});

test.each(['openOpenclawDatabaseStore', 'lookIntoOpenclawDatabase', 'readOpenclawDatabase'])(
  '%s is a function of the part for OpenClaw databases',
  (name) => {
    expect(database).toHaveProperty(name, expect.any(Function));
  },
);

test.each([
  ['DEFAULT_AGENT_ID', 'main'],
  ['DEFAULT_MAIN_KEY', 'main'],
  ['DEFAULT_ACCOUNT_ID', 'default'],
  ['SESSION_LABEL_MAX_LENGTH', 64],
])('%s is %j', (name, value) => {
  expect(sessions).toHaveProperty(name, value);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as database from '../src/exports/openclaw-database.ts';
import * as sessions from '../src/index.ts';

/** Each entry point and its names, types included. A name is offered by one entry point only. */
const SURFACE: Readonly<Record<string, string>> = {
  '.': `
    Progress listenToProgress reportProgress
    ChatType DEFAULT_ACCOUNT_ID DEFAULT_AGENT_ID DEFAULT_MAIN_KEY DeliveryContext ErrorCode
    InitSessionStateParams LifecycleConfig MsgContext OpenBotError RunAbortCause RunOutcome SESSION_LABEL_MAX_LENGTH
    SessionConfig SessionEntry SessionInitResult SessionSkillSnapshot SessionStore
    SessionSystemPromptReport StoredEntry StoredSession Transcript
    TranscriptEntry TranscriptUpdate activePath appendAssistantMessageToSessionTranscript
    appendToTranscript applyResetModelOverride buildAgentMainSessionKey buildAgentPeerSessionKey
    clearSessionStoreCacheForTest compactSession contextTokens createTranscript deleteSession
    emitSessionTranscriptUpdate evaluateSessionFreshness forgetSessionStores forkSessionFromParent
    incrementCompactionCount initSessionState isOpenBotError loadSessionStore lookIntoSessionStore
    markMemoryFlushed normalizeAgentId normalizeMainKey onSessionTranscriptUpdate
    openFileSessionStore openMemorySessionStore parseAgentSessionKey parseSessionLabel
    persistRunOutcome persistSessionUsageUpdate pruneSessions recordSessionMetaFromInbound readSdkSessionId readSessionUpdatedAt redactSecrets resetSession returnToSession
    resolveAgentId resolveDailyResetAtMs resolveDefaultSessionStorePath resolveGroupSessionKey
    resolveSendPolicy resolveSession resolveSessionFilePath resolveSessionKey
    resolveSessionTranscriptPath resolveSessionTranscriptsDirForAgent resolveStateDir
    resolveStorePath saveSessionStore scanTranscriptFile setSdkSessionId shouldRunMemoryFlush startNextEntry
    turnsOf updateLastRoute updateSessionStore updateSessionStoreEntry withSessionStoreLock
  `,
  key: `
    AgentPeerSessionKeyParams DM_SCOPES DmScope GroupKeyResolution IdentityLinks
    ParseSessionKeyOptions ParsedSessionKey SessionKeyShape SessionScope buildCloneSessionKey
    buildCronSessionKey buildGroupHistoryKey buildHookSessionKey buildSubagentSessionKey
    buildThreadSessionKey canonicalizeMainSessionAlias canonicalizeSessionKey
    classifySessionKeyShape deriveChannelFromKey deriveChatTypeFromKey formatSessionKey
    getSubagentDepth isCronRunSessionKey isCronSessionKey isGroupMessage isGroupType isHookSessionKey
    isEntryOf isSubagentSessionKey isThreadSessionKey isValidAgentId NormalizeId ReportedPerson readEntryId listSessionKeySpellings
    normalizeAccountId normalizeChatType normalizeOptionalAccountId parseSessionKey parseThreadSessionSuffix
    resolveAgentIdFromSessionKey resolveLinkedPeerId resolveThreadParentSessionKey resolveThreadRoot
    resolveThreadSessionKeys toAgentRequestSessionKey toAgentStoreSessionKey
  `,
  policy: `
    DEFAULT_RESET_TRIGGERS MemoryFlushConfig MemoryFlushSettings PruneDecision PruneReason
    QueueConfig QueueDropPolicy QueueMode QueueSettings ResetTriggerMatch SenderContext
    SessionFreshness SessionResetConfig SessionResetMode SessionResetPolicy SessionResetType
    SessionSendPolicyConfig SessionSendPolicyDecision SessionSendPolicyRule isAuthorizedSender isEverybody
    matchResetTrigger normalizeQueueDropPolicy normalizeQueueMode normalizeSendPolicy
    resolveChannelResetConfig resolveMemoryFlushSettings resolveQueueSettings
    resolveSessionResetPolicy resolveSessionResetType resolveThreadFlag selectEntriesToPrune
  `,
  transcript: `
    Calibration Context ContextSize DANGLING DialectName EntryDraft FLAG IMAGE_CHARACTERS LineSplitter MEMORY_FLUSH_MARK
    ModelMessage Refusal SessionFileEntry SpokenText TokenBasis TokenUsage ToolCallRef ToolResultRef
    TranscriptAppender TranscriptBuilder TranscriptCondition TranscriptHeader TranscriptMessage Turn bindsThinking buildSessionFileEntry
    composeDeliveryMirror composeEntry composeHeader composeLine composeUserMessage childrenOf callIdsOf
    answeredIdsOf contextCharacters contextOf ensureTranscript estimateTokens examineTranscript extractSessionText
    extractSpokenText findNewestModel findRefusals formatSpokenText hasBoundThinking hasTools leafOf listSessionFiles measureContext
    modelMessagesOf openTranscriptForAppend readFileEnds readFileLinesBackwards readFileStart
    repairTranscriptHeader scanOpenTranscript sideOf withTranscriptLock LineMessage LineUsage
    MessageBlock Speaker readLineMessage splitSystemPart textsOf wordsBehindSystemPart
  `,
  rewrite: `
    ElementSpan FieldValue LineCopier MemberSpan SourceChanged Splice asciiJson findMember fromByteText
    insertLines isArrayAt isObjectAt isStringAt listElements listMembers lowerUsage planLoweredUsage
    planRelinking relinkedFieldsOf replaceTopLevelFields replaceTranscript seekArray seekMembers skipSpace
    toByteText
  `,
  disk: `
    HeldLock LockHolder LockOptions OpenFile ProcessIdentity ProcessStat acquireLock deferEnding
    describeCommand describeOpenClaude endOnSignals findOpenClaude giveFolderToOwner
    giveToFolderOwner guardGroup inspectLock isHolderAlive isHandledElsewhere linkNew listOpenClaudes loadSqlite makeFolder
    makeLeftoverPath ownIdentity passOnSignal readProcessStat removeSpareLocks reuseLockFiles startChild sweepLeftovers syncFolder undoAtEnding
    withLock writeFileAtomic
  `,
  layout: `
    runLockPathOf sessionAddressOf
    AGENT_DATABASE_NAME AGENT_ID_ENV_NAMES Environment MAX_SLUG OPENBOT_STATE OPENCLAW_STATE
    OpenclawConfig OpenclawLayout STORE_FILE_NAME StateDirConvention assertSessionId
    classifySessionFileName claudeProjectSlug fillInVariables findFreeArchivePath findRealPath isSessionId maySlugBeBelow
    openclawLayoutOf readDataFile readOpenclawConfig readSmallFile resolveAgentDatabasePath
    resolveAgentDir resolveAgentFolderName resolveHomeDir resolveOpenclawHome resolveUserPath
    transcriptFileName DataFile
  `,
  'openclaw-database': `
    openDatabaseWhenFree DatabaseSession DatabaseStoreOptions DatabaseTranscript LineKeeper
    OpenclawDatabase Projection assertWritable changeEntriesOfSession compareProjections findMisplacedId
    inTransaction
    isColdSession isSameVersion iterateEventLines iterateEvents iterateEventsAfter listDatabaseSessions
    listTranscriptVersions lookIntoOpenclawDatabase makeGeneration markRewritten measureColdArchive
    lookIntoDatabaseEntries measureDatabaseTranscript openDatabaseForWriting openEventChanges
    openEventCopies openOpenclawDatabaseStore openSearchChanges projectTranscript readEntriesOfSession
    readDatabaseQuietly readFirstEvent readOpenclawDatabase readProjection readSessionDatabase
    readTranscriptVersion scanDatabaseTranscript whileWriting writeDatabaseEntry writeProjection
  `,
  lines: `
    ClaudeLine ClaudeLineFacts ClaudeLineReader ClaudeLineVisitor ClaudeTitles LineRange
    MessageUsage resolveClaudeTitle withOpenTranscript ContextFigure FigureSearch findClaudeCodeFigure
    findFirstWords findOpenclawFigure hideSecrets shortenWords splitOriginMarker
  `,
  'command-line': `
    PickList pickRow
    Command CommandBody CommandInput FaultsFound Flag FlagValues Flags HelpRow HelpSection HelpTopic OutputLost OutputStream
    ParsedArguments Positional Program ResultShape Surroundings Terminal declareCommands declareCompletion
    declareFlags declareVersion formatCommandHelp formatHelp listMisfits listVisible longFlag openTerminal parseArguments
    readPackageVersion reportError runProgram showFlag showSynopsis startProgram writeJson writeWarning
  `,
  'terminal-text': `
    PLAIN_PALETTE Palette cutEnd cutMiddle findNearest formatAge formatCount formatQuantity formatUsd
    oneLine padEnd padStart paletteFor printable quoteForShell roundCount shorten textWidth toJsonText
    wrapProse wrapText TableColumn barLines drawBar fitsWhole layOutTable formatPercent percentOf
  `,
};

const PACKAGE = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const namesOf = (list: string) => list.trim().split(/\s+/).sort();

test('the entry points are these', () => {
  expect(Object.keys(manifest.exports)).toEqual(
    Object.keys(SURFACE).map((name) => (name === '.' ? '.' : `./${name}`)),
  );
});

test.each(Object.entries(SURFACE))('the names of %s are these', (name, list) => {
  const source = manifest.exports[name === '.' ? '.' : `./${name}`]['openbot-source'];
  expect(readExportedNames(join(PACKAGE, source))).toEqual(namesOf(list));
});

test('no name is in two entry points', () => {
  const all = Object.values(SURFACE).flatMap(namesOf);
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

/** Sorted, types included, which a loaded module does not show. */
function readExportedNames(path: string): string[] {
  const clauses = readFileSync(path, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from /gm);
  return [...clauses]
    .flatMap(([, names]) => names!.split(','))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/^.* as /, ''),
    )
    .filter((name) => name !== '')
    .sort();
}

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

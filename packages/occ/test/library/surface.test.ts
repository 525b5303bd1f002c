import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type {
  CloneOptions,
  CloneResult,
  CloneStatistics,
  ContentBlock,
  ConversationMessage,
  EditOptions,
  EditResult,
  EditStatistics,
  MessageEntry,
  MessageRole,
  ResolvedConfiguration,
  ResolvedToolRemovalOptions,
  SessionEntry,
  SessionHeader,
  TextBlock,
  ToolCallBlock,
  ToolRemovalOptions,
  ToolRemovalPreset,
  ToolRemovalResult,
  ToolRemovalStatistics,
  TurnBoundary,
  UserConfiguration,
} from '../../src/index.ts';
import * as occ from '../../src/index.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

// A name here is a promise: what is added, renamed or left out is so on purpose.
test('the package exports these values and no others', () => {
  expect(Object.keys(occ).sort()).toEqual([
    'AgentNotFoundError',
    'AmbiguousSessionError',
    'BUILT_IN_PRESETS',
    'CloneOperationError',
    'EditOperationError',
    'NoSessionsError',
    'OccError',
    'OpenBotError',
    'RestoreError',
    'SessionNotFoundError',
    'TRUNCATION_LIMITS',
    'UnknownPresetError',
    'createBackup',
    'describeSession',
    'executeClone',
    'executeEdit',
    'executeRestore',
    'fileFollowing',
    'findFault',
    'findLatestBackup',
    'findReadableSession',
    'findSessionsRoot',
    'followingOf',
    'getCurrentSession',
    'getSessionPath',
    'identifyTurnBoundaries',
    'listSessions',
    'loadConfiguration',
    'locateSessions',
    'planClean',
    'removeToolCalls',
    'resolvePreset',
    'resolveSession',
    'resolveSessionId',
    'resolveToolRemovalOptions',
    'restoreFromBackup',
    'rewriteLine',
    'truncateArguments',
    'truncateCopy',
    'truncateToolResult',
  ]);
});

/** Fails to compile where a type is gone or has another form. */
interface Promised {
  clone: [CloneOptions, CloneResult, CloneStatistics];
  edit: [EditOptions, EditResult, EditStatistics];
  entries: [SessionEntry, SessionHeader, MessageEntry, ConversationMessage, MessageRole];
  blocks: [ContentBlock, TextBlock, ToolCallBlock];
  removal: [ToolRemovalOptions, ToolRemovalPreset, ResolvedToolRemovalOptions];
  removed: [ToolRemovalResult, ToolRemovalStatistics, TurnBoundary];
  configuration: [UserConfiguration, ResolvedConfiguration];
}

test('results have the fields that callers read', async () => {
  const stateDir = makeTempFolder();
  const path = writeSession(stateDir, 'main', 'abc123', createSessionWithTurns(30, 1, { resultLength: 500 }));
  const toolRemoval: Promised['removal'][0] = { preset: 'default' };
  const clone: Promised['clone'][1] = await occ.executeClone({
    sourceSessionId: 'abc123',
    stateDir,
    toolRemoval,
  });
  const edit: Promised['edit'][1] = await occ.executeEdit({ sessionId: 'abc123', stateDir, toolRemoval });
  const size = statSync(path).size;
  expect(edit).toMatchObject({
    success: true,
    mode: 'edit',
    sessionId: 'abc123',
    backupPath: join(dirname(path), 'backups', 'abc123.backup.1.jsonl'),
    statistics: { messagesAfter: 110, sizeAfter: size },
  });
  expect(clone).toMatchObject({
    sourceSessionId: 'abc123',
    clonedSessionPath: join(dirname(path), `${clone.clonedSessionId}.jsonl`),
    statistics: { messagesCloned: 110, sizeCloned: statSync(clone.clonedSessionPath!).size },
    resumeCommand: expect.stringContaining(clone.clonedSessionId!),
  });
});

test('the presets are these', () => {
  expect(occ.BUILT_IN_PRESETS).toEqual({
    default: { name: 'default', keepTurnsWithTools: 20, truncatePercent: 50 },
    aggressive: { name: 'aggressive', keepTurnsWithTools: 10, truncatePercent: 50 },
    extreme: { name: 'extreme', keepTurnsWithTools: 0, truncatePercent: 0 },
  });
  expect(occ.TRUNCATION_LIMITS).toEqual({
    maxChars: 120,
    maxLines: 2,
    argumentMarker: '...',
    contentMarker: '[truncated]',
  });
});

import { basename, dirname } from 'node:path';
import { NoSessionsError } from '../../errors.ts';
import { isBelow, isFolder } from '../../layout/look-at-disk.ts';
import type { SessionSource } from '../contract/source.ts';
import { describeGoneFile, idInName, idOfFile, locateFile } from '../files/file-session.ts';
import {
  isClaudeFileName,
  isOfWorkingFolder,
  listProjectFolders,
  locateClaudeSessions,
  resolveProjectFolder,
  resolveProjectsFolder,
} from './claude-sessions.ts';
import { claude } from './storage.ts';

export const claudeSource: SessionSource = {
  name: 'claude',
  title: 'Claude Code',
  storages: [claude],
  shell: {
    variables: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'],
    sessionVariable: 'CLAUDE_CODE_SESSION_ID',
    advice: 'Claude Code names yours in CLAUDE_CODE_SESSION_ID.',
  },
  exists: (scope) => isFolder(resolveProjectsFolder(scope)),
  rootOf: resolveProjectsFolder,
  locate: locateClaudeSessions,
  searchedPaths: (scope) => [resolveProjectsFolder(scope)],
  sessionsFolders: listProjectFolders,
  /** As with `claude --continue`, a session that was not named is one of the working folder. */
  ofWorkingFolder(scope) {
    const project = resolveProjectFolder(scope);
    return {
      mayHave: ({ path }) => dirname(path) === project,
      has: (session) => isOfWorkingFolder(session, scope),
      none: () =>
        new NoSessionsError(
          '',
          `Looked in ${project}. Claude Code has sessions in other folders: 'occ list --source claude' shows them. Name one by its id, title or path`,
          `for Claude Code in ${scope.cwd}`,
        ),
    };
  },
  recognise(path, head, scope) {
    const isSilent = head?.dialect === undefined;
    const isOwn =
      head?.dialect === 'claude-code' || (isSilent && isBelow(path, resolveProjectsFolder(scope)));
    return isOwn ? 'certain' : undefined;
  },
  locateAt(path, { stats, head }) {
    // The name of the file counts: lines that were copied from another session hold its id.
    const sessionId = isClaudeFileName(basename(path)) ? idInName(path) : undefined;
    return locateFile('claude', path, stats, sessionId ?? idOfFile(path, head));
  },
  describeGone: (path, head) => describeGoneFile('claude', path, idOfFile(path, undefined), head),
};

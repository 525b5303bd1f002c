import { basename, dirname } from 'node:path';
import { isBelow, isFolder } from '../../layout/look-at-disk.ts';
import type { SessionSource } from '../contract/source.ts';
import { describeGoneFile, idOfFile, locateFile } from '../files/file-session.ts';
import { isPiFileName, listPiFolders, locatePiSessions, resolvePiFolder } from './pi-sessions.ts';
import { pi } from './storage.ts';

export const piSource: SessionSource = {
  name: 'pi',
  title: 'pi',
  storages: [pi],
  shell: {
    variables: ['PI_CODING_AGENT'],
    advice: 'A command is recognised where it is the call itself, not where a script runs it.',
  },
  exists: (scope) => isFolder(resolvePiFolder(scope).folder),
  rootOf: (scope) => resolvePiFolder(scope).folder,
  locate: locatePiSessions,
  locateCallers: locatePiSessions,
  searchedPaths: (scope) => [resolvePiFolder(scope).folder],
  sessionsFolders: listPiFolders,
  recognise(path, head, scope) {
    if (isBelow(path, resolvePiFolder(scope).folder) || /^--.*--$/.test(basename(dirname(path)))) {
      return 'folder';
    }
    // OpenClaw writes the same lines.
    if (head?.dialect === undefined) return undefined;
    return scope.source === 'pi' || isPiFileName(basename(path)) ? 'name' : undefined;
  },
  locateAt: (path, { stats, head }) => locateFile('pi', path, stats, idOfFile(path, head)),
  describeGone: (path, head) => describeGoneFile('pi', path, idOfFile(path, head), head),
};

import { accessSync, chmodSync, constants, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { classifySessionFileName } from '@openbot/sessions/layout';
import { formatCount } from '@openbot/sessions/terminal-text';
import { CONFIG_FILE_NAME, loadBotConfig, OPENCLAW_NAMES } from '../../config/load-config.ts';
import { DATABASE_NAME } from '../../database/bot-database.ts';
import { INDEX_NAME } from '../../index-db/index-database.ts';
import type { Check, Finding, Place } from '../contract.ts';
import { listAgentFiles, readNames } from '../session-files.ts';

export const stateFolder: Check = {
  name: 'state-folder',
  about: 'The state folder, and who may read it',
  isQuick: true,
  look({ stateDir }) {
    const stats = statSync(stateDir, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    if (!stats.isDirectory()) {
      return [{ severity: 'problem', what: `${stateDir} is not a folder`, remedy: 'Move it away' }];
    }
    try {
      accessSync(stateDir, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch {
      return [{ severity: 'problem', what: `${stateDir} cannot be written to`, remedy: 'Check who owns it' }];
    }
    return openToOthers([stateDir], 'the state folder');
  },
};

export const fileModes: Check = {
  name: 'file-modes',
  about: 'Who may read conversations, settings and credentials',
  async look(place) {
    const { stateDir } = place;
    const own = [
      ...readNames(stateDir)
        .filter(isOfKnown)
        .map((name) => join(stateDir, name)),
      join(stateDir, 'agents'),
      ...FOLDERS.flatMap((name) => wholeFolder(join(stateDir, name))),
    ];
    const named = (await listNamedFiles(place)).filter((path) => !own.includes(path));
    const agents = new Map<string, string[]>();
    const add = (agentId: string, paths: readonly string[]) =>
      agents.set(agentId, [...(agents.get(agentId) ?? []), ...paths]);
    for (const agentId of readNames(join(stateDir, 'agents'))) {
      const folder = join(stateDir, 'agents', agentId);
      // Beside the database of OpenClaw there are credentials.
      add(agentId, [
        folder,
        join(folder, 'sessions'),
        join(folder, 'agent'),
        ...filesIn(join(folder, 'agent')),
      ]);
    }
    for (const { agentId, folder, names } of listAgentFiles(place)) {
      const known = names.filter((name) => !['other', 'lock'].includes(classifySessionFileName(name).kind));
      add(agentId, [...known.map((name) => join(folder, name)), ...filesIn(join(folder, 'backups'))]);
    }
    return [
      ...openToOthers(own, 'the state folder'),
      ...openToOthers(named, 'the configuration'),
      ...[...agents].flatMap(([agentId, paths]) => openToOthers(paths, agentId)),
    ];
  },
};

const KNOWN = [CONFIG_FILE_NAME, ...OPENCLAW_NAMES, DATABASE_NAME, INDEX_NAME];
/** With all that is in them. */
const FOLDERS = ['secrets', 'moved-aside', 'scripts', 'coding-runs', 'claude-code'];

/** Also what SQLite keeps beside a database (`-wal`), and what was moved aside. */
function isOfKnown(name: string): boolean {
  return KNOWN.some(
    (known) => name === known || name.startsWith(`${known}-`) || name.startsWith(`${known}.`),
  );
}

function wholeFolder(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))];
}

/** The files that the configuration includes, and those of its secrets. */
async function listNamedFiles({ stateDir, env }: Place): Promise<string[]> {
  const files = new Set<string>();
  const onFile = (path: string) => void files.add(path);
  // Other checks say what is wrong with it.
  await loadBotConfig(stateDir, env, { onFile, toleratesMissingSecrets: true }).catch(() => undefined);
  return [...files].flatMap((path) => {
    try {
      return [realpathSync(path)];
    } catch {
      return [];
    }
  });
}

const filesIn = (folder: string) => readNames(folder).map((name) => join(folder, name));

/** Those of some files and folders on which others than the owner have any right, as one finding. Windows has no such rights. */
function openToOthers(paths: readonly string[], whose: string): Finding[] {
  if (process.platform === 'win32') return [];
  const open = listOpen(paths);
  const [first] = open;
  if (first === undefined) return [];
  const example = `${first.path} (mode ${(first.mode & 0o777).toString(8)})`;
  return [
    {
      severity: 'warning',
      what:
        open.length === 1
          ? `Others can read ${example}`
          : `${formatCount(open.length)} files and folders of ${whose} can be read by others, such as ${example}`,
      fix: {
        does: 'Take away the rights of others',
        apply: async () => {
          // Fixes before this one may have moved some of them.
          for (const { path, mode } of listOpen(paths)) chmodSync(path, mode & ~0o077);
        },
      },
    },
  ];
}

function listOpen(paths: readonly string[]): { readonly path: string; readonly mode: number }[] {
  return paths.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // What a link leads to may be outside of the state folder.
    const isOwn = stats !== undefined && (stats.isFile() || stats.isDirectory());
    return isOwn && (stats.mode & 0o077) !== 0 ? [{ path, mode: stats.mode & 0o7777 }] : [];
  });
}

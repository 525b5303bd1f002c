/** The shape of the workspace, as data. docs/decisions/0001-rooms.md says why it is so. */

/** Each package, and the packages of this workspace that it may import. */
export const PACKAGE_EDGES: Readonly<Record<string, readonly string[]>> = {
  sessions: [],
  occ: ['sessions'],
  'claude-code': ['sessions'],
  openbot: ['sessions', 'occ', 'claude-code'],
};

export interface RoomTable {
  /** From the top down: a room may import itself and every room before it. */
  readonly order: readonly string[];
  /** Rooms that may import fewer than their place allows. */
  readonly narrower: Readonly<Record<string, readonly string[]>>;
  /** Rooms without disk, process, network, clock or chance. */
  readonly pure: readonly string[];
  /** Rooms that may look at the disk but not change it. */
  readonly readOnly: readonly string[];
}

/** The rooms of a package: the folders and the files directly under its `src`, and the folders in `storage`. */
export const ROOMS: Readonly<Record<string, RoomTable>> = {
  sessions: {
    order: [
      'error-codes',
      'errors',
      'terminal-text',
      'message',
      'key',
      'entry',
      'policy',
      'transcript',
      'listeners',
      'progress',
      'layout',
      'disk',
      'transcript-file',
      'store',
      'openclaw-db',
      'lifecycle',
      'command-line',
      'exports',
      'index',
    ],
    narrower: {
      'terminal-text': [],
      'command-line': ['errors', 'terminal-text', 'progress'],
      transcript: ['errors', 'message', 'key', 'entry'],
      disk: ['errors', 'progress'],
    },
    pure: ['error-codes', 'errors', 'terminal-text', 'message', 'key', 'entry', 'policy', 'transcript'],
    readOnly: ['layout'],
  },
  occ: {
    order: [
      'error-codes',
      'errors',
      'clean',
      'storage/contract',
      'layout',
      'backups',
      'in-use',
      'schedule',
      'rewrite',
      'storage/files',
      'storage/openclaw-files',
      'storage/openclaw-sqlite',
      'storage/openclaw',
      'storage/pi',
      'storage/claude',
      'storage/all',
      'callers',
      'finding',
      'config',
      'operations',
      'library',
      'report',
      'demo',
      'commands',
      'cli',
      'index',
    ],
    narrower: {
      clean: ['errors'],
      'storage/contract': ['errors', 'clean'],
      config: ['errors', 'clean', 'layout'],
    },
    pure: ['error-codes', 'errors', 'clean', 'report'],
    readOnly: ['layout', 'callers', 'finding'],
  },
  'claude-code': {
    order: [
      'error-codes',
      'repo',
      'registry',
      'scan',
      'session-index',
      'discover',
      'project-status',
      'select',
      'mcp-tools',
      'mcp-server',
      'processes',
      'queue',
      'run-contract',
      'ledger',
      'conversation',
      'run',
      'agent-session',
      'index',
    ],
    narrower: {
      'agent-session': ['registry', 'mcp-server', 'processes', 'queue', 'run-contract', 'conversation'],
      processes: ['repo', 'registry'],
      queue: ['repo', 'registry', 'processes'],
      ledger: ['repo', 'registry', 'scan', 'run-contract'],
    },
    pure: ['error-codes'],
    readOnly: ['repo', 'scan', 'project-status'],
  },
  openbot: {
    order: [
      'error-codes',
      'errors',
      'clock',
      'listeners',
      'session-address',
      'claude-code',
      'install-command',
      'runner-kinds',
      'permissions',
      'config',
      'config-editing',
      'media',
      'database',
      'inbox',
      'outbox',
      'kept-messages',
      'channel-notes',
      'run-lock',
      'kept-sessions',
      'transcripts',
      'cooldowns',
      'index-db',
      'index-writing',
      'index-search',
      'questions',
      'channels',
      'state',
      'routing',
      'access',
      'tools',
      'memory-search',
      'runners',
      'session-settings',
      'chat-commands',
      'queue',
      'turn',
      'delivery',
      'session-tools',
      'coding-runs',
      'heartbeats',
      'bot',
      'agent-roster',
      'model-catalog',
      'history',
      'usage',
      'gateway-process',
      'gateway-client',
      'first-setup',
      'openclaw-import',
      'state-report',
      'doctor',
      'gateway-protocol',
      'gateway-devices',
      'agent-host',
      'gateway-worker',
      'gateway-methods',
      'gateway',
      'commands',
      'cli',
      'library',
      'index',
    ],
    narrower: {
      'runner-kinds': [],
      'config-editing': ['errors', 'config'],
      media: ['errors', 'config'],
      database: ['errors', 'listeners'],
      inbox: ['errors', 'listeners', 'session-address', 'database'],
      outbox: ['errors', 'listeners', 'database'],
      'channel-notes': ['database'],
      'run-lock': ['errors'],
      'kept-sessions': ['errors', 'session-address', 'config', 'run-lock'],
      transcripts: ['errors', 'listeners'],
      cooldowns: [],
      history: [],
      'index-db': ['errors', 'database'],
      'index-writing': ['errors', 'config', 'transcripts', 'kept-sessions', 'index-db'],
      'index-search': ['errors', 'index-db'],
      routing: ['errors', 'config'],
      access: ['errors', 'session-address', 'config', 'inbox', 'outbox', 'channels'],
      questions: ['errors', 'clock', 'permissions', 'inbox', 'outbox'],
      'session-settings': ['errors', 'session-address', 'config'],
      usage: ['errors', 'config'],
      'kept-messages': ['errors', 'database', 'outbox'],
    },
    pure: ['error-codes', 'errors', 'session-address', 'runner-kinds', 'routing'],
    readOnly: [],
  },
};

/** Names that say nothing about what belongs inside, so everything ends up there. */
export const VAGUE_FOLDERS = ['utils', 'util', 'helpers', 'common', 'misc', 'shared', 'core', 'types', 'lib'];
export const VAGUE_FILES = ['utils', 'util', 'helpers', 'common', 'misc', 'shared'];

export const MAX_LINES = 400;

/**
 * What a pure room may import from outside the workspace: `'*'` for any name, else the names.
 * `node:crypto` can hash, and it can also roll dice.
 */
export const PURE_MODULES: Readonly<Record<string, '*' | readonly string[]>> = {
  'node:buffer': '*',
  'node:string_decoder': '*',
  'string-width': '*',
  'node:crypto': ['createHash', 'createHmac', 'hash'],
};

/** What a read-only room may import from `node:fs` and `node:fs/promises`. */
export const READING_FS_NAMES = [
  'access',
  'accessSync',
  'constants',
  'existsSync',
  'lstat',
  'lstatSync',
  'readdir',
  'readdirSync',
  'readFile',
  'readFileSync',
  'readlink',
  'readlinkSync',
  'realpath',
  'realpathSync',
  'stat',
  'statSync',
];

/** What of others the project works with: in which version it was tested, and which versions its ranges allow. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { NODE_VERSIONS } from './install-node.ts';
import { OPENCLAW_VERSIONS } from './install-openclaw.ts';
import { NEWEST_PI, PI } from './install-pi.ts';

export interface Range {
  /** `packages/openbot peer`. */
  readonly of: string;
  readonly range: string;
}

export interface Listed {
  readonly name: string;
  /** `program`: it is run and not imported; `tool`: only the development depends on it. */
  readonly kind: 'library' | 'program' | 'tool';
  /** None where nothing of the project reads or runs it yet. */
  readonly tested: readonly string[];
  /** Those of them that were tested with stand-ins for packages that they need. */
  readonly withStandIns?: readonly string[];
  readonly ranges: readonly Range[];
}

export interface Compared extends Listed {
  /** Undefined where the registry does not have it. */
  readonly newest?: string;
  /** Whether the newest one was tested. */
  readonly isTested: boolean;
  /** The ranges that the newest one is not in. */
  readonly excludedBy: readonly Range[];
}

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly claudeCodeVersion?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const PI_PACKAGES = [PI, '@earendil-works/pi-agent-core', '@earendil-works/pi-ai'];
const PROGRAMS = ['@anthropic-ai/claude-code', '@openai/codex', 'node', 'openclaw'];

/** By the lock file and the manifests of the workspace. */
export function listVersions(root: string): Listed[] {
  const manifest = readManifest(root);
  const folders = manifest.workspaces ?? [];
  const manifests = new Map(folders.map((folder) => [folder, readManifest(join(root, folder))]));
  const own = new Set([...manifests.values()].map(({ name }) => name));
  const ranges = new Map<string, Range[]>();
  const add = (name: string, of: string, range: string) => {
    if (!own.has(name)) ranges.set(name, [...(ranges.get(name) ?? []), { of, range }]);
  };
  for (const [folder, { dependencies = {}, peerDependencies = {}, engines = {} }] of manifests) {
    for (const [name, range] of Object.entries(dependencies)) add(name, folder, range);
    for (const [name, range] of Object.entries(peerDependencies)) add(name, `${folder} peer`, range);
    for (const [name, range] of Object.entries(engines)) add(name, `${folder} engines`, range);
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { version?: string } | undefined>>;
  };
  const installed = (name: string) => packages[`node_modules/${name}`]?.version;
  const programs = listPrograms(root, installed);
  const libraries = [...ranges.keys(), ...Object.keys(manifest.devDependencies ?? {})];
  const names = new Set([...libraries, ...Object.keys(programs)]);
  return [...names].sort().map((name) => {
    const isUsed = ranges.has(name);
    const tested = programs[name] ?? [installed(name)].flatMap((version) => version ?? []);
    const kind = PROGRAMS.includes(name) ? 'program' : isUsed ? 'library' : 'tool';
    const listed = { name, kind, tested: [...new Set(tested)], ranges: ranges.get(name) ?? [] } as const;
    return PI_PACKAGES.includes(name) ? { ...listed, withStandIns: [NEWEST_PI] } : listed;
  });
}

/** What is run, or tested in more than the installed version. */
function listPrograms(
  root: string,
  installed: (name: string) => string | undefined,
): Record<string, readonly string[]> {
  const sdk = '@anthropic-ai/claude-agent-sdk';
  const { claudeCodeVersion } = readManifest(join(root, 'node_modules', sdk));
  const some = (...versions: (string | undefined)[]) => versions.flatMap((version) => version ?? []);
  return {
    '@anthropic-ai/claude-code': some(claudeCodeVersion),
    '@openai/codex': [],
    ...Object.fromEntries(PI_PACKAGES.map((name) => [name, some(installed(name), NEWEST_PI)])),
    node: some(...NODE_VERSIONS, installed('node')),
    openclaw: OPENCLAW_VERSIONS,
  };
}

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** `0.87.1, 1.5.2 (with stand-ins)` */
export function describeTested({ tested, withStandIns = [] }: Listed): string {
  const names = tested.map((version) =>
    withStandIns.includes(version) ? `${version} (with stand-ins)` : version,
  );
  return names.join(', ') || '–';
}

export function compare(listed: Listed, newest: string | undefined): Compared {
  const isTested = newest !== undefined && listed.tested.includes(newest);
  const excludedBy =
    newest === undefined ? [] : listed.ranges.filter(({ range }) => !semver.satisfies(newest, range));
  return newest === undefined
    ? { ...listed, isTested, excludedBy }
    : { ...listed, newest, isTested, excludedBy };
}

/** Real repositories in temp folders, with programs on a PATH of their own: what is installed beside git has no say. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterFile } from '../../../../test/setup/cleaning.ts';
import { LEAN, makeRepoOnce } from '../repo/git.ts';

const GIT = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

const VARIABLES = {
  GIT,
  NODE: process.execPath,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada Lovelace',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05+00:00',
  GIT_COMMITTER_NAME: 'Ada Lovelace',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05+00:00',
};

export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openbot-status-')));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A PATH with git and the scripts that are given by name, for /bin/sh. `$GIT` and `$NODE` name the real programs. */
export function makeEnvironment(scripts: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const bin = makeFolder();
  if (scripts.git === undefined) symlinkSync(GIT, join(bin, 'git'));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { ...VARIABLES, PATH: bin, HOME: bin };
}

export class GitRepo {
  readonly path: string;

  constructor(path: string = join(makeFolder(), 'project')) {
    this.path = path;
  }

  static init(...args: string[]): GitRepo {
    const repo = new GitRepo();
    mkdirSync(repo.path);
    repo.git('init', '--quiet', '--initial-branch=main', ...args);
    return repo;
  }

  /** With a first commit of one file. */
  static withCommit(): GitRepo {
    const repo = new GitRepo();
    makeRepoOnce('The first one', repo.path, (path) => {
      const model = new GitRepo(path);
      model.git('init', '--quiet', '--initial-branch=main');
      model.write('first.txt', 'one\n');
      model.commit('The first one');
    });
    return repo;
  }

  git(...args: string[]): string {
    const env = { ...VARIABLES, ...LEAN, HOME: process.env.HOME, PATH: process.env.PATH };
    const options: ExecFileSyncOptionsWithStringEncoding = {
      cwd: this.path,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    };
    return execFileSync(GIT, ['-c', 'protocol.file.allow=always', ...args], options);
  }

  write(name: string | Buffer, content = 'text\n'): void {
    const path =
      typeof name === 'string' ? join(this.path, name) : Buffer.concat([Buffer.from(`${this.path}/`), name]);
    if (typeof path === 'string') mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  commit(message: string): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', `--message=${message}`);
  }
}

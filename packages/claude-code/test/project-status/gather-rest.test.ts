import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { formatProjectStatus } from '../../src/project-status/format-project-status.ts';
import { gatherProjectStatus } from '../../src/project-status/gather-project-status.ts';
import { resolveRegistryPath } from '../../src/registry/registry-file.ts';
import { makeHome } from '../discover/claude-home.ts';
import { hoursAgo, makeSession, NOW } from './discovered.ts';
import { GitRepo, makeEnvironment, makeFolder } from './git-repo.ts';

async function docsOf(...files: string[]) {
  const folder = makeFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'text\n');
  }
  return (await gatherProjectStatus(folder, { env: makeEnvironment() })).docs;
}

describe('the documents of a project', () => {
  it('has none in an empty folder', async () => {
    expect(await docsOf()).toEqual({
      hasClaudeMd: false,
      hasSpecs: false,
      specFiles: [],
      hasTodo: false,
      hasReadme: false,
    });
  });

  it.each([['CLAUDE.md'], ['.claude/CLAUDE.md']])('has instructions in %s', async (file) => {
    expect((await docsOf(file)).hasClaudeMd).toBe(true);
  });

  it.each([['claude.md.bak'], ['docs/CLAUDE.md'], ['CLAUDE.md/inside.txt']])(
    'has no instructions in %s',
    async (file) => {
      expect((await docsOf(file)).hasClaudeMd).toBe(false);
    },
  );

  it.each([['README'], ['README.md'], ['readme.rst'], ['Readme.de.md']])(
    'is introduced by %s',
    async (file) => {
      expect((await docsOf(file)).hasReadme).toBe(true);
    },
  );

  it.each([['README/x.txt'], ['READMEs.md'], ['docs/README.md'], ['README.png'], ['readme.ts']])(
    'is not introduced by %s',
    async (file) => {
      expect((await docsOf(file)).hasReadme).toBe(false);
    },
  );

  it.each([['TODO'], ['TODO.md'], ['todo.txt'], ['TODOS.org'], ['todo-release.md']])(
    'has things to do in %s',
    async (file) => {
      expect((await docsOf(file)).hasTodo).toBe(true);
    },
  );

  it.each([['todo.ts'], ['todomvc.md'], ['todo/list.md']])('has nothing to do in %s', async (file) => {
    expect((await docsOf(file)).hasTodo).toBe(false);
  });

  it('finds specs by their names, and in folders of specs', async () => {
    const specs = [
      'SPEC.md',
      'api-spec.md',
      'apiSpec.md',
      'docs/login_specification.mdx',
      'docs/specs/one.md',
      'spec/two.md',
      'specs/deep/er/three.md',
    ];
    const others = [
      'inspector.md',
      'special.md',
      'spec.ts',
      'docs/deep/spec.md',
      'src/spec.md',
      'spec/login_spec.rb',
      'specs/too/deep/to/look.md',
      'specs/node_modules/x.md',
      'specs/.hidden/x.md',
    ];
    const docs = await docsOf(...specs, ...others);
    expect(docs.specFiles).toEqual([...specs].sort());
    expect(docs.hasSpecs).toBe(true);
  });

  it('bounds the list of specs and says so', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'specs'));
    for (let count = 0; count < 60; count++) writeFileSync(join(folder, `specs/${count}.md`), '');
    const status = await gatherProjectStatus(folder, { env: makeEnvironment() });
    expect(status.docs.specFiles).toHaveLength(50);
    expect(status.gaps).toEqual([{ part: 'docs', reason: '50 of 60 specs are listed' }]);
  });

  it('follows links to files, and not in circles', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'specs'));
    writeFileSync(join(folder, 'text'), '');
    symlinkSync('text', join(folder, 'README.md'));
    symlinkSync('nowhere', join(folder, 'TODO.md'));
    symlinkSync('..', join(folder, 'specs/up'));
    const { docs } = await gatherProjectStatus(folder, { env: makeEnvironment() });
    expect(docs).toMatchObject({ hasReadme: true, hasTodo: false, specFiles: [] });
  });

  it('are those at the top of the repository', async () => {
    const repo = GitRepo.withCommit();
    repo.write('CLAUDE.md');
    repo.write('below/README.md');
    const { docs } = await gatherProjectStatus(join(repo.path, 'below'), { env: makeEnvironment() });
    expect(docs).toMatchObject({ hasClaudeMd: true, hasReadme: false });
  });
});

describe('the sessions of a project', () => {
  it('are asked for by the top of the repository', async () => {
    const repo = GitRepo.withCommit();
    repo.write('below/x.txt');
    const asked: string[] = [];
    const discover = async (path: string) => {
      asked.push(path);
      return [];
    };
    await gatherProjectStatus(join(repo.path, 'below'), { env: makeEnvironment(), discover });
    expect(asked).toEqual([repo.path]);
  });

  it('are listed as running, recent, and the own ones of the agent', async () => {
    const all = Array.from({ length: 9 }, (_, at) =>
      makeSession({
        sessionId: `s${at}`,
        lastModified: hoursAgo(at),
        isRunning: at === 7,
        agentId: at % 2 === 0 ? 'main' : 'other',
      }),
    );
    const discover = async () => [...all].reverse();
    const { sessions } = await gatherProjectStatus(makeFolder(), {
      env: makeEnvironment(),
      agentId: 'main',
      discover,
    });
    const ids = (list: readonly { sessionId: string }[]) => list.map(({ sessionId }) => sessionId);
    expect(ids(sessions.active)).toEqual(['s7']);
    expect(ids(sessions.recent)).toEqual(['s0', 's1', 's2', 's3', 's4']);
    expect(ids(sessions.ownRecent)).toEqual(['s0', 's2', 's4']);
    expect(sessions.total).toBe(9);
  });

  it('counts one as own by its marker where the registry does not know it', async () => {
    const { agentId: _, ...native } = makeSession({ source: 'native-only' });
    const discover = async () => [
      { ...native, sessionId: 'marked', originMarker: 'main' },
      { ...native, sessionId: 'plain' },
      makeSession({ sessionId: 'registered to another', agentId: 'other', originMarker: 'main' }),
    ];
    const status = await gatherProjectStatus(makeFolder(), {
      env: makeEnvironment(),
      agentId: 'main',
      discover,
    });
    expect(status.sessions.ownRecent.map(({ sessionId }) => sessionId)).toEqual(['marked']);
    expect(
      (await gatherProjectStatus(makeFolder(), { env: makeEnvironment(), discover })).sessions.ownRecent,
    ).toEqual([]);
  });

  it('are looked for where no other program does', async () => {
    const { makeFolder: make, env, stateDir, addSession } = makeHome();
    const repo = make('repo');
    const id = addSession(repo);
    const { sessions } = await gatherProjectStatus(repo, { env, stateDir });
    expect(sessions.recent.map(({ sessionId }) => sessionId)).toEqual([id]);
  });

  it('are unknown, and not none, where they are not looked for', async () => {
    const status = await gatherProjectStatus(makeFolder(), { env: makeEnvironment(), discover: false });
    expect(status.gaps).toEqual([{ part: 'sessions', reason: 'they were not searched for' }]);
  });

  it('are looked for, and gh is asked, while git is still at work', async () => {
    const repo = GitRepo.withCommit();
    const marks = makeFolder();
    const [asked, found] = [join(marks, 'asked'), join(marks, 'found')];
    const env = makeEnvironment({
      git: `case "$*" in *rev-parse*)
        left=800
        until [ -e '${asked}' ] && [ -e '${found}' ]; do
          [ $left -gt 0 ] || exit 3
          left=$((left - 1)); /bin/sleep 0.05
        done;;
      esac
      exec "$GIT" "$@"`,
      gh: `: > '${asked}'; printf '[]'`,
    });
    const discover = async () => {
      writeFileSync(found, '');
      return [];
    };
    const status = await gatherProjectStatus(repo.path, { env, discover, gitTimeoutMs: 60_000 });
    expect(status.repo.isGitRepo).toBe(true);
    expect(status.github).toBeDefined();
    expect(status.gaps).toEqual([]);
  }, 60_000);

  it('that take too long are a gap, and the search is asked to stop', async () => {
    let asked: AbortSignal | undefined;
    const discover = (_: string, signal: AbortSignal) => {
      asked = signal;
      return new Promise<never>(() => {});
    };
    const status = await gatherProjectStatus(makeFolder(), {
      env: makeEnvironment(),
      discover,
      lookTimeoutMs: 20,
    });
    expect(status.sessions.total).toBe(0);
    expect(status.gaps).toEqual([
      { part: 'sessions', reason: 'not all were read within 0.02 s; run it again to read the rest' },
    ]);
    expect(asked?.aborted).toBe(true);
  });

  it('that take too long at first are known by what was read of them, look by look', async () => {
    const { makeFolder: make, env, stateDir, addSession, projects } = makeHome();
    const repo = make('repo');
    const id = addSession(repo);
    const path = join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'), `${id}.jsonl`);
    const line = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(1_000_000) })}\n`;
    for (let at = 0; at < 40; at++) appendFileSync(path, line);
    let looks = 0;
    let status = await gatherProjectStatus(repo, { env, stateDir, lookTimeoutMs: 1 });
    // One that ends within its moment of grace has the answer at once.
    for (; status.sessions.total === 0 && looks < 100; looks++) {
      expect(status.gaps.filter(({ part }) => part === 'sessions')).toHaveLength(1);
      status = await gatherProjectStatus(repo, { env, stateDir, lookTimeoutMs: 1 });
    }
    expect(status.sessions.recent).toMatchObject([{ sessionId: id, lineCount: 43 }]);
  }, 60_000);

  it('that cannot be read are reported beside the others', async () => {
    const { makeFolder: make, env, stateDir, addSession, projects } = makeHome();
    const repo = make('repo');
    const id = addSession(repo);
    const odd = join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(join(odd, '22222222-2222-4222-8222-222222222222.jsonl'));
    const status = await gatherProjectStatus(repo, { env, stateDir });
    expect(status.sessions.recent.map(({ sessionId }) => sessionId)).toEqual([id]);
    expect(status.gaps).toEqual([
      { part: 'sessions', reason: expect.stringMatching(/^some are left out: /) },
    ]);
    const text = formatProjectStatus(status);
    expect(text).toContain('Sessions  1, none running');
    expect(text).toContain('Unknown   sessions: some are left out');
  });

  it('that are known without the registry of their agent are counted apart from those left out', async () => {
    const { makeFolder: make, env, stateDir, addSession, projects } = makeHome();
    const repo = make('repo');
    addSession(repo);
    for (const agentId of ['one', 'two']) {
      const path = resolveRegistryPath(stateDir, agentId);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '{');
    }
    const registries = await gatherProjectStatus(repo, { env, stateDir });
    expect(registries.sessions.total).toBe(1);
    expect(registries.gaps).toEqual([
      { part: 'sessions', reason: expect.stringMatching(/^some are incomplete: .* \(and 1 more\)$/) },
    ]);
    const folder = join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(join(folder, '22222222-2222-4222-8222-222222222222.jsonl'));
    expect((await gatherProjectStatus(repo, { env, stateDir })).gaps).toHaveLength(2);
  });

  it('of an agent are listed, who may be all that is said', async () => {
    const { makeFolder: make, env, stateDir, addSession } = makeHome();
    const repo = make('repo');
    const id = addSession(repo, { text: '[openclaw:agent=ada]\n\nFix it' });
    const child = `
      import { gatherProjectStatus } from '@openbot/claude-code';
      const { sessions } = await gatherProjectStatus(${JSON.stringify(repo)}, 'ada');
      console.log(sessions.ownRecent.map(({ sessionId }) => sessionId).join());`;
    const args = ['--conditions=openbot-source', '--input-type=module', '--eval', child];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: import.meta.dirname,
      env: { ...process.env, ...env, OPENBOT_STATE_DIR: stateDir },
    });
    expect(stdout.trim()).toBe(id);
  });

  it('may be unknown', async () => {
    const discover = async () => {
      throw new Error('cannot read\nthe folder');
    };
    const status = await gatherProjectStatus(makeFolder(), { env: makeEnvironment(), discover, now: NOW });
    expect(status.sessions).toEqual({ active: [], recent: [], ownRecent: [], total: 0 });
    expect(status.gaps).toEqual([{ part: 'sessions', reason: 'cannot read the folder' }]);
    expect(status.timestamp).toBe('2026-03-01T12:00:00.000Z');
  });
});

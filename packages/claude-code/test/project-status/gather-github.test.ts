import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isHolderAlive } from '@openbot/sessions/disk';
import { describe, expect, it } from 'vitest';
import { gatherProjectStatus } from '../../src/project-status/gather-project-status.ts';
import { GitRepo, makeEnvironment, makeFolder } from './git-repo.ts';

const PULL_REQUESTS = JSON.stringify([
  { number: 12, title: 'Repair the login', headRefName: 'login', state: 'OPEN', isDraft: false },
]);
const CHECKS = JSON.stringify([
  { name: 'build', state: 'FAILURE', bucket: 'fail' },
  { name: 'lint', state: 'SUCCESS', bucket: 'pass' },
  { name: 'deploy', state: 'CANCELLED', bucket: 'cancel' },
  { name: 'slow', state: 'IN_PROGRESS', bucket: 'pending' },
]);
const script = (list: string, checks: string) => `
case "$1 $2" in
  'pr list') ${list};;
  'pr checks') ${checks};;
  *) echo "unexpected: $*" >&2; exit 2;;
esac`;
const print = (text: string) => `printf '%s' '${text}'`;
const fail = (code: number, text: string) => `printf '%s\\n' '${text}' >&2; exit ${code}`;

const repo = GitRepo.withCommit();
/** On a busy machine the real git takes its time. */
const PATIENT = { gitTimeoutMs: 60_000, ghTimeoutMs: 60_000 };
async function gather(gh: string) {
  const status = await gatherProjectStatus(repo.path, { env: makeEnvironment({ gh }), ...PATIENT });
  expect(status.git.headCommitMessage).toBe('The first one');
  return status;
}

describe('what gh knows', () => {
  it('lists open pull requests and checks that failed or were cancelled', async () => {
    const status = await gather(script(print(PULL_REQUESTS), `${print(CHECKS)}; exit 8`));
    expect(status.github).toEqual({
      openPrs: [{ number: 12, title: 'Repair the login', branch: 'login', state: 'OPEN' }],
      failingChecks: [
        { name: 'build', status: 'FAILURE' },
        { name: 'deploy', status: 'CANCELLED' },
      ],
    });
    expect(status.gaps).toEqual([]);
  });

  it.each([
    ['there is no pull request', 'no pull requests found for branch "main"'],
    ['HEAD is detached', 'could not determine current branch: not on any branch'],
    ['the pull request has no checks', "no checks reported on the ''main'' branch"],
  ])('has no failing checks where %s', async (_, message) => {
    const status = await gather(script(print('[]'), fail(1, message)));
    expect(status.github).toEqual({ openPrs: [], failingChecks: [] });
    expect(status.gaps).toEqual([]);
  });

  it('says so when only the checks are unknown', async () => {
    const status = await gather(script(print(PULL_REQUESTS), fail(1, 'unknown flag: --json')));
    expect(status.github?.openPrs).toHaveLength(1);
    expect(status.gaps).toEqual([{ part: 'checks', reason: 'gh failed: unknown flag: --json' }]);
  });

  it.each<[string, string, string]>([
    [
      'is not logged in',
      fail(4, 'To get started with GitHub CLI, please run: gh auth login'),
      'gh is not logged in',
    ],
    ['knows no remote', fail(1, 'no git remotes found'), 'gh failed: no git remotes found'],
    [
      'has no network',
      fail(1, 'error connecting to api.github.com\ncheck your internet connection'),
      'gh failed: error connecting to api.github.com',
    ],
    ['says nothing', 'exit 3', 'gh failed with exit code 3'],
    ['prints nothing', 'exit 0', 'gh printed something that is not understood'],
    ['prints prose', print('Welcome to GitHub!'), 'gh printed something that is not understood'],
    ['prints another shape', print('[{"number":"12"}]'), 'gh printed something that is not understood'],
    [
      'prints bytes',
      `"$NODE" -e 'process.stdout.write(Buffer.from([255, 254, 0, 200]))'`,
      'gh printed something that is not understood',
    ],
    [
      'prints without end',
      `while :; do ${print('x'.repeat(1000))}; done`,
      'gh failed: it printed more than 4 MB',
    ],
    ['kills itself', 'kill -9 $$', 'gh failed: it was ended by SIGKILL'],
  ])('is left out where gh %s', async (_, list, reason) => {
    const status = await gather(script(list, print('[]')));
    expect(status.github).toBeUndefined();
    expect(status.github).toBeUndefined();
    expect(status.gaps).toEqual([{ part: 'github', reason }]);
  });

  it('shows no password that is part of an address', async () => {
    const status = await gather(
      script(fail(1, 'cannot reach https://ada:hunter2secret@example.org/x.git'), ':'),
    );
    expect(status.gaps[0]?.reason).toContain('example.org');
    expect(JSON.stringify(status)).not.toContain('hunter2secret');
  });

  it('has empty input and no terminal, and is started with prompts disabled', async () => {
    const said = join(makeFolder(), 'said');
    const ask = `
      if read answer; then echo "read $answer"; else echo 'nothing to read'; fi > '${said}'
      if (: < /dev/tty) 2> /dev/null; then echo 'a terminal'; else echo 'no terminal'; fi >> '${said}'
      echo "$GH_PROMPT_DISABLED $GIT_TERMINAL_PROMPT $NO_COLOR $LC_ALL \${GH_REPO-unset} \${GH_FORCE_TTY-unset}" >> '${said}'
      ${print('[]')}`;
    const env = { ...makeEnvironment({ gh: script(ask, print('[]')) }), GH_REPO: 'a/b', GH_FORCE_TTY: '80' };
    const status = await gatherProjectStatus(repo.path, { env, ...PATIENT });
    expect(status.github).toBeDefined();
    expect(readFileSync(said, 'utf8')).toBe('nothing to read\nno terminal\n1 0 1 C unset unset\n');
  });

  it('is not asked outside git', async () => {
    const mark = join(makeFolder(), 'asked');
    const env = makeEnvironment({ gh: `echo > '${mark}'` });
    await gatherProjectStatus(makeFolder(), { env });
    expect(existsSync(mark)).toBe(false);
  });
});

describe('programs that hang', () => {
  it('are left behind dead, with what they started, and the rest of the status is there', async () => {
    const pids = join(makeFolder(), 'pids');
    const hang = `"$NODE" -e 'setInterval(() => {}, 1000)' & echo $$ $! >> '${pids}'; wait`;
    const git = `case "$*" in *' status '*) ${hang};; *) exec "$GIT" "$@";; esac`;
    const status = await gatherProjectStatus(repo.path, {
      env: makeEnvironment({ git, gh: script(hang, hang) }),
    });
    expect(status.git).toMatchObject({ currentBranch: 'main', headCommitMessage: 'The first one' });
    expect(status.github).toBeUndefined();
    expect(status.gaps).toEqual([
      { part: 'changes', reason: 'git did not answer within 5 s' },
      { part: 'github', reason: 'gh did not answer within 5 s' },
    ]);
    const started = readFileSync(pids, 'utf8').trim().split(/\s/).map(Number);
    expect(started).toHaveLength(6);
    for (const pid of started) while (isHolderAlive({ pid }) !== 'dead') await wait(20);
  });
});

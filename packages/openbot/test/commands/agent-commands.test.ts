/** Chat commands given to `openbot agent`, while another process has the session. */
import { expect, it } from 'vitest';
import { makeAgentBench } from '../setup/agent-process.ts';

it('answers a command at once while another process runs the session, and stops that run', async () => {
  const bench = makeAgentBench();
  bench.configure({ agents: { defaults: { model: 'script/slow' } } });
  bench.addScript('slow', [{ steps: [{ text: 'One' }, { stall: true }] }]);
  const working = bench.agent(['-m', 'work']);
  const ask = async (text: string) => (await bench.json('-m', text)).payloads[0]?.text ?? '';
  while (!(await ask('/status')).includes('a run is under way'));
  expect(await ask('/verbose on')).toBe('verbose: on, for this session.');
  expect(bench.store()['agent:main:main']).toMatchObject({ verboseLevel: 'on' });
  // It waits for the end of the run, and says so where that takes long.
  expect(await bench.agent(['-m', '/stop'])).toMatchObject({ code: 0, stdout: 'Stopped.\n' });
  expect(await working).toMatchObject({ code: 1 });
  expect(await ask('/status')).toContain('Queue: collect, nothing waits, no run');
  expect(bench.lines().filter(({ message }) => (message as { role?: string })?.role === 'user')).toHaveLength(
    1,
  );
});

/** Runs a task and prints each event as a line. Argument: the request as JSON. */
import { keepCompiled } from '../../../../test/setup/keep-compiled.ts';
import { startRun } from '../../src/run/claude-run.ts';
import type { RunRequest } from '../../src/run-contract/run-request.ts';

const run = startRun(JSON.parse(process.argv[2]!) as RunRequest);
keepCompiled();
for await (const event of run.events()) console.log(JSON.stringify(event));
await run.outcome;

/**
 * Test files share a process, so a hook in a helper module would belong to the first file that imports it. Helpers say
 * here what they clean up, and the setup file has the hooks.
 */
type Work = () => unknown;

const afterTestWork: Work[] = [];
const afterFileWork: Work[] = [];

/** Does this when the test is over; what was asked for last is done first. */
export function afterTest(work: Work): void {
  afterTestWork.push(work);
}

/** Does this when the last test of the file is over. */
export function afterFile(work: Work): void {
  afterFileWork.push(work);
}

export const endTest = () => runAll(afterTestWork);
export const endFile = () => runAll(afterFileWork);

async function runAll(list: Work[]): Promise<void> {
  for (const work of list.splice(0).reverse()) await work();
}

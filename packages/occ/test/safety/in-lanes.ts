/** Several at once: most of the time of a process is its start. */
const LANES = 4;

/** Works through the list in several lanes, each item once. */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/**
 * Tells somebody who listens. If that fails, at once or in a promise that is given back, nobody hears of it but `onFailure`: it
 * would end this process.
 */
export function callListener<Item>(
  listener: (item: Item) => unknown,
  item: Item,
  onFailure: () => void = () => {},
): void {
  try {
    Promise.resolve(listener(item)).catch(onFailure);
  } catch {
    onFailure();
  }
}

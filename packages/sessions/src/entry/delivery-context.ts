/** Where a reply of this session goes. */
export interface DeliveryContext {
  channel?: string;
  to?: string;
  accountId?: string;
  threadId?: string | number;
}

/** Reads also the older spelling `target`, `account`. Other fields are kept. The same object when nothing is old. */
export function readDeliveryContext(raw: object): DeliveryContext {
  const { target, account, ...rest } = raw as DeliveryContext & { target?: unknown; account?: unknown };
  const oldTo = rest.to === undefined && typeof target === 'string';
  const oldAccount = rest.accountId === undefined && typeof account === 'string';
  if (!oldTo && !oldAccount) return raw;
  return {
    ...rest,
    ...(oldTo ? { to: target } : target === undefined ? {} : { target }),
    ...(oldAccount ? { accountId: account } : account === undefined ? {} : { account }),
  };
}

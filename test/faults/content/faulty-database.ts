import { type ChooseFault, FAULTS, faultName, withProbability } from '../../support/fault-choosers.ts';
import { type Fault, isApplicable } from '../../support/fault-proxy.ts';

const SEED = 20_260_615;
/** Of all database requests. */
export const FAULT_SHARE = 0.2;
/** Of the faults, those with a late or no response: few, since each takes up to a second. */
const WAITING_SHARE = 0.03;

const isWaiting = (fault: Fault): boolean => fault === 'hang' || typeof fault === 'object';

const chooser = (faults: readonly Fault[], seed: number): ChooseFault => {
  const waiting = withProbability(FAULT_SHARE * WAITING_SHARE, faults.filter(isWaiting), seed);
  const others = withProbability(
    FAULT_SHARE * (1 - WAITING_SHARE),
    faults.filter((fault) => !isWaiting(fault)),
    seed + 1,
  );
  return (call) => waiting(call) ?? others(call);
};

/** Every kind of fault, on a fifth of all requests to any table; counts them by name. */
export const faultyDatabase = () => {
  const injected = new Map<string, number>();
  let calls = 0;
  const chooserFor = (operation: string, seed: number) =>
    chooser(
      FAULTS.filter((fault) => isApplicable(fault, operation)),
      seed,
    );
  const [onBatches, onTransactions, onOthers] = [
    chooserFor('BatchGetItem', SEED),
    chooserFor('TransactWriteItems', SEED + 4),
    chooserFor('GetItem', SEED + 2),
  ];
  const chooserOf = (operation: string): ChooseFault => {
    if (operation === 'TransactWriteItems') return onTransactions;
    return operation.startsWith('Batch') ? onBatches : onOthers;
  };
  const choose: ChooseFault = (call) => {
    calls += 1;
    const fault = chooserOf(call.operation)(call);
    if (fault !== undefined) injected.set(faultName(fault), (injected.get(faultName(fault)) ?? 0) + 1);
    return fault;
  };
  return { choose, calls: () => calls, injected };
};

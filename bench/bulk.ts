/** A bulk request of 1,000 registrations beside ten bare concurrent BatchGetItem calls for the same keys. */
import { fileURLToPath } from 'node:url';
import { preparePacedEngine } from '../test/support/prepared-engine.ts';
import { deployedBundles } from './deployed-bundles.ts';
import { startFunction } from './function-instance/function-instance.ts';
import { gatewayEvent } from './function-instance/gateway-event.ts';
import { generatedRegistration, loadGeneratedVehicles } from './generated-vehicles.ts';
import { type Contestant, interleaved } from './interleaved.ts';
import { type Finding, type Progress, percentile, type Run } from './report.ts';

const REGISTRATIONS = 1_000;
const TARGET = 1.25;

type Engine = Awaited<ReturnType<typeof preparePacedEngine>>;

/** On what the two are compared: everything answered by the engine, or what it answered once after a fixed time. */
const databasesOf = ({ names }: Engine) => [
  { name: 'embedded engine', invocations: 60, block: 5, pace: { delayMs: 0, repeated: [] } },
  {
    name: 'recorded answers, 5 ms after each request',
    invocations: 300,
    block: 15,
    pace: { delayMs: 5, repeated: [names.keys, names.usage, names.vehicles] },
  },
];

const bulkEvent = (key: string) =>
  gatewayEvent({
    method: 'POST',
    path: '/v1/vehicle/bulk-insurance',
    key,
    json: { registrations: Array.from({ length: REGISTRATIONS }, (_, n) => generatedRegistration(n)) },
  });

const compare = async (engine: Engine, contestants: readonly Contestant[], progress: Progress) => {
  const compared: { readonly name: string; readonly ours: readonly number[]; readonly bare: readonly number[] }[] = [];
  for (const { name, invocations, block, pace } of databasesOf(engine)) {
    await engine.setPace(pace);
    const [ours = [], bare = []] = await interleaved(contestants, invocations, {
      block,
      onBlock: (done) => progress(done, invocations, name),
    });
    compared.push({ name, ours, bare });
  }
  return compared;
};

type Compared = Awaited<ReturnType<typeof compare>>[number];

const ratioAt = ({ ours, bare }: Compared, share: number): number => percentile(ours, share) / percentile(bare, share);

const findingOf = (compared: Compared): Finding => {
  const ratio = ratioAt(compared, 0.5);
  return {
    promise: `p50 at most ${TARGET} of ten bare concurrent BatchGetItem calls: ${compared.name}`,
    found: ratio.toFixed(2),
    holds: ratio <= TARGET,
  };
};

const METHOD = [
  'The deployed bundle with 1,000 different registrations, all known, on the premium plan: key, counter, reading, rules and the',
  'answer as text. Beside it a function that only sends ten BatchGetItem calls at once with the same client and takes what',
  'the SDK makes of them. Each in a process of its own, warm, in turns. On the embedded engine the database takes most of the',
  "time, as in DynamoDB; with recorded answers nearly all of it is the functions' own.",
].join('\n');

const run: Run = async (progress) => {
  const bundles = await deployedBundles();
  const engine = await preparePacedEngine();
  await loadGeneratedVehicles(engine.db, engine.names.vehicles, REGISTRATIONS);
  const event = bulkEvent(engine.key);
  const files = [
    bundles.fileOf('bulk-insurance'),
    fileURLToPath(new URL('./bulk/bare-batch-gets.ts', import.meta.url)),
  ];
  const contestants = files.map((file) => ({ instance: startFunction(file), event }));
  try {
    const compared = await compare(engine, contestants, progress);
    return {
      findings: compared.map(findingOf),
      blocks: [
        { text: METHOD },
        {
          table: {
            head: ['database', 'bulk p50 ms', 'bare p50 ms', 'ratio', 'bulk p99 ms', 'bare p99 ms', 'ratio'],
            rows: compared.map((one) => [
              one.name,
              ...[0.5, 0.99].flatMap((share) => [
                percentile(one.ours, share).toFixed(1),
                percentile(one.bare, share).toFixed(1),
                ratioAt(one, share).toFixed(2),
              ]),
            ]),
          },
        },
      ],
    };
  } finally {
    await Promise.all(contestants.map(({ instance }) => instance.close()));
    engine.close();
    await bundles.remove();
  }
};
export default run;

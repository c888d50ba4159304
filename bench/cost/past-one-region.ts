/** What breaks past today's size, in which order, and what one would do: the arithmetic of limits, from what was measured. */
import { PLANS, WINDOW_SECONDS } from '../../functions/access/plans.ts';
import type { StageSettings } from '../../lib/cloud/stage-settings.ts';
import type { Block } from '../report.ts';
import { type Cost, type Measured, total } from './cost-of.ts';
import { PRICES } from './prices.ts';

/** DynamoDB's for one partition, and so for one item, per second. */
const PARTITION = { readUnits: 3_000, writeUnits: 1_000 };
const PARTITION_GIGABYTES = 10;
/** Defaults of an account that AWS raises on request, per second or at a time. */
const DEFAULTS = { gatewayRate: 10_000, concurrency: 1_000, tableUnits: 40_000 };
/** What a new table on demand takes before it has grown. */
const NEW_TABLE = { readUnits: 12_000, writeUnits: 4_000 };
/** What a look-up waits at most for a database that does not answer: functions/dynamodb/database.ts. */
const DEAD_DATABASE_SECONDS = 3.1;
const BUSY_RATE = 10_000;
const SECONDS_A_MONTH = 30.4 * 86_400;
const MANY_VEHICLES = 100_000_000;
/** DynamoDB's overhead per stored item. */
const STORED_BYTES_BESIDE = 100;
/** A rate well below what eight batches of 25 in flight come to when DynamoDB answers one in 15 ms: 13,000. */
const IMPORT_ROWS_PER_SECOND = 5_000;
/**
 * Of the importer's memory of registrations: three numbers in a table of which at most 70 % is taken, its size a power of two,
 * and for each registration its last line and how many rows it has.
 */
const importerBytes = (rows: number): number => 12 * 2 ** Math.ceil(Math.log2(rows / 0.7)) + 8 * rows;

interface Known {
  readonly lookUp: Measured;
  readonly usdPerMillion: Cost;
  readonly throttle: StageSettings['throttle'];
  readonly vehicleBytes: number;
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-GB');
const rounded = (value: number): string => (value < 100 ? value.toFixed(1) : whole(value));

const limits = ({ lookUp, throttle }: Known): Block[] => {
  const perSecond = PLANS.premium.requestsPerWindow / WINDOW_SECONDS;
  const perTransaction = 2;
  return [
    {
      text: [
        '### Past one region: what gives way first',
        '',
        `One partition of DynamoDB, and so one item, gives ${whole(PARTITION.readUnits)} read and takes ${whole(PARTITION.writeUnits)} write units a second. Everything else spreads by`,
        'itself: every table is keyed by something that differs between callers, vehicles or items. Roughly in the order in which limits are met:',
      ].join('\n'),
    },
    {
      table: {
        head: ['What', 'Limit', 'What one does then'],
        rows: [
          [
            'Creates into all of content: the newest counter of the list of all items',
            `${whole(PARTITION.writeUnits)} write units / ${perTransaction} a transactional write = ${whole(PARTITION.writeUnits / perTransaction)} creates/s, fewer by their conflicts; one domain's list likewise`,
            'Bring items in together (an import has 23 in a transaction); beyond that split each newest counter in ten, and add ten up when listing',
          ],
          [
            'The stage throttle',
            `${whole(throttle.rateLimit)} requests/s, ${whole(throttle.burstLimit)} at once: ours, in lib/cloud/stage-settings.ts`,
            'One line; it exists to bound what strangers cost',
          ],
          [
            "One key's counter",
            `${whole(PARTITION.writeUnits)} writes/s = ${whole(PARTITION.writeUnits * WINDOW_SECONDS)} a minute; premium is ${whole(PLANS.premium.requestsPerWindow)} a minute = ${whole(perSecond)}/s, a tenth of it`,
            'A larger plan gets several counters, each with its share of the limit: exact still, but a caller may be refused with a few requests left in another share',
          ],
          [
            "One key's record",
            `${whole(PARTITION.readUnits)} strongly consistent reads/s, above what its counter takes`,
            'Nothing: the counter comes first',
          ],
          [
            'One vehicle that everybody asks for',
            `${whole(PARTITION.readUnits)} / 0.5 = ${whole(PARTITION.readUnits / 0.5)} eventually consistent reads/s`,
            'A cache of a few seconds in the function, for vehicles only; keys are never cached, so a revoked one stops at once',
          ],
          ["API Gateway's account default", `${whole(DEFAULTS.gatewayRate)} requests/s`, 'Ask AWS (Service Quotas)'],
          [
            "A table's account default",
            `${whole(DEFAULTS.tableUnits)} read and as many write units/s: ${whole(DEFAULTS.tableUnits)} requests/s by the usage table's one write each`,
            'Ask AWS',
          ],
          [
            "Lambda's account default",
            `${whole(DEFAULTS.concurrency)} at a time / ${lookUp.billedMs.toFixed(1)} ms = ${whole((DEFAULTS.concurrency * 1_000) / lookUp.billedMs)} look-ups/s; with a database that hangs, ${whole(DEFAULTS.concurrency)} / ${DEAD_DATABASE_SECONDS} s of attempts = ${whole(DEFAULTS.concurrency / DEAD_DATABASE_SECONDS)}/s`,
            'Ask AWS, for the bad day rather than the good one',
          ],
        ],
      },
    },
  ];
};

const atTenThousand = ({ lookUp, usdPerMillion }: Known): Block => {
  const { readUnits, writeUnits } = lookUp.database;
  const millions = (BUSY_RATE * SECONDS_A_MONTH) / 1e6;
  const premiumPerSecond = PLANS.premium.requestsPerWindow / WINDOW_SECONDS;
  return {
    text: [
      `### At ${whole(BUSY_RATE)} requests a second`,
      '',
      `- **Callers.** At least ${whole(BUSY_RATE)} / ${whole(premiumPerSecond)} = ${whole(BUSY_RATE / premiumPerSecond)} premium keys at full speed, so counters lie on many partitions and none is hot.`,
      `- **Lambda.** ${whole(BUSY_RATE)} × ${lookUp.billedMs.toFixed(1)} ms = ${whole((BUSY_RATE * lookUp.billedMs) / 1_000)} at a time, warm. Starting them is no matter: an account adds 1,000 every 10 s to each function.`,
      `- **DynamoDB.** ${whole(BUSY_RATE)} × ${readUnits} = ${whole(BUSY_RATE * readUnits)} read units and ${whole(BUSY_RATE * writeUnits)} write units a second. A new table takes ${whole(NEW_TABLE.writeUnits)} writes and ${whole(NEW_TABLE.readUnits)} reads until it has grown, so raise its warm throughput before the day: \`usage\` to ${whole(BUSY_RATE * writeUnits)} writes, \`keys\` to ${whole(BUSY_RATE)} reads. Both are one-off charges.`,
      `- **Money.** ${whole(BUSY_RATE)} × 30.4 days = ${whole(millions)} M look-ups a month × ${total(usdPerMillion).toFixed(2)}/M = ${whole(millions * total(usdPerMillion))} USD, of which API Gateway ${whole(millions * usdPerMillion.gateway)}, logs ${whole(millions * usdPerMillion.logs)}, the counter ${whole(millions * usdPerMillion.writes)}, Lambda ${whole(millions * usdPerMillion.lambda)}. In this order one saves: logs of successes sampled (metrics keep counting all), volume prices of API Gateway from 300 M, provisioned capacity for the steady part of the counters, and bulk requests, in which a vehicle costs hundredths of that.`,
      '- **What stays.** No code changes: admission is one round trip at any rate, the limit exact, nothing is cached.',
    ].join('\n'),
  };
};

const atManyVehicles = ({ vehicleBytes }: Known): Block => {
  const gigabytes = (MANY_VEHICLES * (vehicleBytes + STORED_BYTES_BESIDE)) / 1e9;
  const source = (MANY_VEHICLES * vehicleBytes) / 1e9;
  const hours = MANY_VEHICLES / IMPORT_ROWS_PER_SECOND / 3_600;
  const monthly = gigabytes * (PRICES.storagePerGigabyte + PRICES.recoveryPerGigabyte);
  return {
    text: [
      `### At ${whole(MANY_VEHICLES / 1e6)} million vehicles`,
      '',
      `- **Storage.** A vehicle with one policy is ${whole(vehicleBytes)} bytes, stored ${whole(vehicleBytes + STORED_BYTES_BESIDE)}: ${rounded(gigabytes)} GB, at least ${Math.ceil(gigabytes / PARTITION_GIGABYTES)} partitions of ${PARTITION_GIGABYTES} GB. ${rounded(gigabytes)} × (${PRICES.storagePerGigabyte} + ${PRICES.recoveryPerGigabyte}) = ${rounded(monthly)} USD a month. A look-up costs and takes the same: one key, one item.`,
      `- **Loading.** One write unit each: ${whole(MANY_VEHICLES / 1e6)} M × ${PRICES.writeUnitsPerMillion}/M = ${rounded((MANY_VEHICLES / 1e6) * PRICES.writeUnitsPerMillion)} USD. At ${whole(IMPORT_ROWS_PER_SECOND)} rows a second (assumed; "Imports" has this machine's figure) ${whole(MANY_VEHICLES)} / ${whole(IMPORT_ROWS_PER_SECOND)} = ${hours.toFixed(1)} hours. A new table takes ${whole(NEW_TABLE.writeUnits)} units a second at first and throttles above; the importer waits and goes on.`,
      `- **What breaks.** The importer remembers every registration of a file and where its last row is: ${whole(importerBytes(1e6) / 1e6)} MB at 1 M, ${(importerBytes(MANY_VEHICLES) / 1e9).toFixed(1)} GB at ${whole(MANY_VEHICLES / 1e6)} M. Cut the file by registration into ten: a tenth of the memory each, and ten can run side by side on ${whole(10 * IMPORT_ROWS_PER_SECOND)} units a second, for which a table needs a raised quota.`,
      `- **All of it anew.** DynamoDB's own import from S3 takes ${rounded(source)} GB × ${PRICES.importFromS3PerGigabyte} = ${rounded(source * PRICES.importFromS3PerGigabyte)} USD instead and no write units, but only into a new table: load it, then deploy with its name in the functions' environment. Daily changes stay with the CLI.`,
    ].join('\n'),
  };
};

const SECOND_REGION: Block = {
  text: [
    '### A second region',
    '',
    '`-c replicaRegions=eu-west-1` copies vehicles and compliance there, within seconds, at a further write unit per write and the',
    'storage once more. This is today a copy that survives the loss of a region, not a second place that answers: functions, keys,',
    'counters and content stand in one region, and on purpose (`lib/cloud/service-tables.ts`): replication is asynchronous and the last',
    'writer wins, so a counter raised in two regions would admit twice the limit, and a slug could be claimed twice. To answer there:',
    '',
    '1. **Functions** of the look-ups in the second region on the replicas; they read eventually consistently already, so nothing they say changes.',
    '2. **Keys** as a replica too, read-only there. A revoked key then lives on for the replication lag, about a second; whoever cannot have',
    '   that takes a table with multi-region strong consistency (three regions, slower writes, and keys are seldom written).',
    '3. **Counters** never replicated. Either each region counts a share of the plan by itself (exact per region, and a caller who moves all',
    '   traffic has only that share until shares are moved), or the far region counts at home: one more crossing on every request, about 10 ms',
    '   between London and Ireland, 70 ms to Virginia, against the 5 ms of a look-up. Shares are the choice for availability.',
    '4. **Content** is written at home only. Reads can be served from a replica once an exact total may be a second old; today the contract',
    '   promises a created item in the next list, so they go home as well.',
    "5. **Traffic** by latency records of DNS with health checks on an address of one's own (`-c domainName`), which both regions share.",
    '',
    'What fails first when the home region does: content writes and everything of keys (creating, revoking); look-ups go on in the second',
    'region on what was replicated. Nothing of this is built or tried here.',
  ].join('\n'),
};

/** The plan, as sections of their own. */
export const pastOneRegion = (known: Known): readonly Block[] => [
  ...limits(known),
  atTenThousand(known),
  atManyVehicles(known),
  SECOND_REGION,
];

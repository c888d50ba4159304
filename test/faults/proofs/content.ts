/** Whatever the database does, content is what was acknowledged: each item once, counted exactly, gone when deleted. */
import type { Block, Finding, Run } from '../../../tools/report/report.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { type Life, liveOneLife } from '../content/item-life.ts';
import { FAULT_SHARE, quarrelsomeDatabase } from '../content/quarrelsome-database.ts';
import { type Reckoning, reckon } from '../content/reckoning.ts';
import { stubbornClient, type Traffic } from '../content/stubborn-client.ts';

const ITEMS: Readonly<Record<string, number>> = { quick: 400, long: 10_000 };
const CLIENTS = 16;
/** How far the gateway's clock goes on with each item, so that moments tell; all of it within a key's window. */
const MILLISECONDS_PER_ITEM = 1;

type Database = ReturnType<typeof quarrelsomeDatabase>;

/** All lives, several at once: each client takes the next number when it is done with its last item. */
const liveAll = async (api: TestApi, items: number, traffic: Traffic, onLife: (lives: number) => void) => {
  const lives: Life[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const send = await stubbornClient(api, traffic);
    while (next < items) {
      const nth = next;
      next += 1;
      lives.push(await liveOneLife(send, nth));
      api.clock.now += MILLISECONDS_PER_ITEM;
      onLife(lives.length);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return lives;
};

const sum = (lives: readonly Life[], value: (life: Life) => number): number =>
  lives.reduce((total, life) => total + value(life), 0);

const none = (promise: string, count: number, of: string): Finding => ({
  promise,
  found: `${count}, of ${of}`,
  holds: count === 0,
});

const judge = (lives: readonly Life[], end: Reckoning, database: Database): Finding[] => {
  const surprises = lives.flatMap((life) => life.surprises);
  const living = `${end.acknowledged} items`;
  const share = [...database.injected.values()].reduce((total, count) => total + count, 0) / database.calls();
  return [
    {
      promise: `${FAULT_SHARE * 100} % of database requests fail`,
      found: `${(share * 100).toFixed(1)} % of ${database.calls()}`,
      holds: Math.abs(share - FAULT_SHARE) < FAULT_SHARE / 10,
    },
    {
      promise:
        'Each create, update and delete is acknowledged in the end, a repeated create with the same answer; what is created and left as it is stands in the next list',
      found: surprises.length === 0 ? `all of ${lives.length} items` : [...new Set(surprises)].slice(0, 5).join('; '),
      holds: surprises.length === 0,
    },
    none('No acknowledged item is missing', end.missing, living),
    none('Each is as it was last acknowledged: fields, version and moments', end.different, living),
    none('None is there twice', end.doubled, living),
    none('Nothing is there that nobody was told of', end.unasked, living),
    none('Nothing deleted can be read or is listed again', end.undead, `${end.deleted} deleted items`),
    {
      promise: 'The total of every list is the number of its items',
      found: end.miscounted.length === 0 ? 'every list' : `not ${end.miscounted.join(', ')}`,
      holds: end.miscounted.length === 0,
    },
    none('content check finds no inconsistency', end.inconsistent, 'all items, slugs and counters'),
  ];
};

const show = (lives: readonly Life[], traffic: Traffic, database: Database): Block[] => [
  {
    text: [
      `${CLIENTS} clients at once make ${lives.length} items in seven shared lists, through gateway, middleware and the embedded engine. Of ten items three`,
      'are updated (`If-Match`), one of them twice, two deleted; the slug of one of these is used again by another item. Every create carries an',
      '`Idempotency-Key`; one in five is sent again after it was acknowledged, also after its item was deleted, which must not bring it back. Clients',
      'send a request until it is acknowledged, at once; every tenth acknowledgement they take for lost and send the request again.',
      `Faults are of the kinds below and hit any table (seed ${database.seed}; which request is the nth hangs on the clients' race).`,
      '',
      'After a lost answer a repeated `DELETE` is answered 404 and a repeated `PUT` with `If-Match` 412. The client tells that the change was its',
      'own by reading: the item is gone, or one version further with its fields. That works where nobody else changes the item, as here.',
    ].join('\n'),
  },
  {
    table: {
      head: [
        'Requests',
        'sent again after a fault',
        'after a lost answer',
        'creates',
        'updates',
        'deletes',
        'told by reading',
      ],
      rows: [
        [
          traffic.requests,
          traffic.retries,
          traffic.lostAnswers,
          sum(lives, ({ creates }) => creates),
          sum(lives, ({ updates }) => updates),
          sum(lives, ({ deleted }) => deleted.length),
          sum(lives, ({ toldByReading }) => toldByReading),
        ],
      ],
    },
  },
  { table: { head: ['Fault', 'injected'], rows: [...database.injected].toSorted() } },
];

/** The lives of all items, then the reckoning. */
const run: Run = async (progress, size) => {
  const items = ITEMS[size] ?? 0;
  const traffic: Traffic = { requests: 0, retries: 0, lostAnswers: 0 };
  const database = quarrelsomeDatabase();
  const api = await startApi();
  try {
    api.faults.inject(database.choose);
    const lives = await liveAll(api, items, traffic, (done) => progress(done, items, 'items'));
    api.faults.reset();
    return { findings: judge(lives, await reckon(api, lives), database), blocks: show(lives, traffic, database) };
  } finally {
    await api.stop();
  }
};
export default run;

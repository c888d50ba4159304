// One test file, so that all of these tests share the synthesised stacks.
import '../rigs/release/promises.ts';
import './stack/alarms.ts';
import './stack/deployment.ts';
import './stack/functions.ts';
import './stack/gateway.ts';
import './stack/operator-policy.ts';
import './stack/probe.ts';
import './stack/tables.ts';

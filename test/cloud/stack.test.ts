// One test file, so that all of these tests share the synthesised stacks.
import '../rigs/release/promises-tests.ts';
import './stack/alarms-tests.ts';
import './stack/audit-tests.ts';
import './stack/deployment-tests.ts';
import './stack/functions-tests.ts';
import './stack/gateway-tests.ts';
import './stack/intake-tests.ts';
import './stack/on-call-policy-tests.ts';
import './stack/operator-policy-tests.ts';
import './stack/plans-tests.ts';
import './stack/probe-tests.ts';
import './stack/signed-answers-tests.ts';
import './stack/tables-tests.ts';

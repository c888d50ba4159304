// One file for Jest, which otherwise loads the CDK once per test file: 5 s each time.
import './stack/alarms.ts';
import './stack/dashboard.ts';
import './stack/functions.ts';
import './stack/gateway.ts';
import './stack/nag.ts';
import './stack/policies.ts';
import './stack/tables.ts';

// All tests of the stack in one file for Jest, which loads the CDK anew for every file: 5 s each time.
import './stack/alarms.ts';
import './stack/dashboard.ts';
import './stack/functions.ts';
import './stack/gateway.ts';
import './stack/nag.ts';
import './stack/policies.ts';
import './stack/tables.ts';

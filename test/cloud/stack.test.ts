// One test file, so that all of these tests share the synthesised templates.
import './stack/alarms.ts';
import './stack/dashboard.ts';
import './stack/deployment.ts';
import './stack/functions.ts';
import './stack/gateway.ts';
import './stack/nag.ts';
import './stack/operator-policy.ts';
import './stack/policies.ts';
import './stack/probe.ts';
import './stack/tables.ts';
import './stack/tags.ts';

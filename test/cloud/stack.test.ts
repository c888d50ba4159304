// One file for Jest: the tests share the templates.
import './stack/alarms.ts';
import './stack/dashboard.ts';
import './stack/deployment.ts';
import './stack/functions.ts';
import './stack/gateway.ts';
import './stack/nag.ts';
import './stack/policies.ts';
import './stack/tables.ts';
import './stack/tags.ts';

export { inconsistenciesIn, inconsistenciesOf } from './content.ts';

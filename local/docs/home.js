/** Runs in the browser: looks the registrations of the form up, and shows the verdicts. Everything is shown as text. */
const PATH = '/v1/vehicle/bulk-compliance';

/** What each reason means; one that is not here is shown as it is. */
const REASONS = {
  NO_POLICY: 'it has no insurance',
  INSURANCE_LAPSED: 'its insurance has ended',
  INSURANCE_NOT_STARTED: 'its insurance has not begun',
  MOT_EXPIRED: 'its MOT has expired',
  TAX_EXPIRED: 'its road tax has expired',
  SORN: 'it is declared off the road',
  FINES_OUTSTANDING: 'a fine is unpaid',
};

const element = (id) => document.getElementById(id);

/** The verdict of an entry in words, with the class that colours it. An entry with a code has no verdict. */
const describe = ({ compliant, code, error, suggestion, reasons, details }) => {
  if (code) return ['unknown', `No verdict. ${error}${suggestion ? ` Did you mean ${suggestion}?` : ''}`];
  if (compliant) {
    const leftOut = Object.keys(details).filter((name) => details[name].status === 'NOT_CHECKED');
    if (leftOut.length > 0) return ['good', `Yes. Not checked: ${leftOut.join(', ')}.`];
    return ['good', `Yes. It is insured until ${details.insurance.validTo}; MOT, tax and fines are in order.`];
  }
  return ['bad', `No: ${reasons.map((reason) => REASONS[reason] ?? reason).join(', ')}.`];
};

const toItem = (entry) => {
  const item = document.createElement('li');
  const name = document.createElement('strong');
  const [className, words] = describe(entry);
  item.className = className;
  name.textContent = entry.registration;
  item.append(name, ` ${words}`);
  return item;
};

const lookUp = async (registrations) => {
  const response = await fetch(PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': element('lookup').dataset.key },
    body: JSON.stringify({ registrations }),
  });
  const answer = await response.json();
  const { results = [], processed, successful, failed, detail } = answer;
  const counts = `${processed} looked up: ${successful} with a verdict, ${failed} without one.`;
  element('outcome').textContent = response.ok ? counts : (detail ?? answer.message);
  element('verdicts').replaceChildren(...results.map(toItem));
  const request = `POST ${PATH}\n${JSON.stringify({ registrations }, null, 2)}`;
  element('json').textContent = `${request}\n\n${response.status}\n${JSON.stringify(answer, null, 2)}`;
  element('exchange').hidden = false;
};

element('lookup').addEventListener('submit', (event) => {
  event.preventDefault();
  const lines = element('registrations').value.split('\n');
  lookUp(lines.map((line) => line.trim()).filter(Boolean)).catch(({ message }) => {
    element('outcome').textContent = `The service gave no answer (${message}). Does npm start still run?`;
  });
});

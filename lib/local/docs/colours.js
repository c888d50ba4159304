/** Runs in the browser, before the first paint: applies the colours of the system, or those that the reader chose. */
// Scalar stores the choice under the same name and uses the same classes.
const STORED_AS = 'colorMode';
const system = matchMedia('(prefers-color-scheme: dark)');

const isDark = () => {
  const chosen = localStorage.getItem(STORED_AS);
  return chosen === 'dark' || chosen === 'light' ? chosen === 'dark' : system.matches;
};

const show = () => {
  document.body.classList.toggle('dark-mode', isDark());
  document.body.classList.toggle('light-mode', !isDark());
  const button = document.getElementById('colours');
  if (button) button.textContent = isDark() ? 'Light' : 'Dark';
};

show();
system.addEventListener('change', show);
document.addEventListener('DOMContentLoaded', () => {
  show();
  document.getElementById('colours').addEventListener('click', () => {
    localStorage.setItem(STORED_AS, isDark() ? 'light' : 'dark');
    show();
  });
});

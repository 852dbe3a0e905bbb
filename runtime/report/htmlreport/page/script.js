'use strict';
(() => {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');

  // The theme is the system's until the button is used.
  const button = document.getElementById('theme');
  const isDark = () => (root.dataset.theme || (dark.matches ? 'dark' : 'light')) === 'dark';
  const name = () => { button.textContent = isDark() ? 'Light theme' : 'Dark theme'; };
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    name();
  });
  dark.addEventListener('change', name);
  name();
  button.hidden = false;

  // Numbers are sorted with the largest first, texts from A to Z; the second press turns them around. What is in a second
  // body stays last.
  const words = new Intl.Collator('en', { numeric: true });
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort ?? (cell.querySelector('summary') ?? cell).textContent;
  };
  const makeSortable = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const sort = (column, ascending) => {
      const numeric = heads[column].dataset.kind === 'number';
      const order = numeric
        ? (a, b) => Number(value(a, column)) - Number(value(b, column))
        : (a, b) => words.compare(value(a, column), value(b, column));
      body.append(...[...rows].sort((a, b) => (ascending ? order(a, b) : order(b, a))));
      heads.forEach((head, i) => {
        if (i === column) head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
        else head.removeAttribute('aria-sort');
      });
    };
    heads.forEach((head, column) => {
      const control = document.createElement('button');
      control.type = 'button';
      control.append(...head.childNodes);
      head.append(control);
      control.addEventListener('click', () => {
        const sorted = head.getAttribute('aria-sort');
        sort(column, sorted ? sorted === 'descending' : head.dataset.kind === 'text');
      });
    });
  };
  document.querySelectorAll('.sortable').forEach(makeSortable);

  const groups = document.getElementById('group-table');
  if (!groups) return;
  const rows = [...groups.tBodies[0].rows];
  const tools = document.querySelector('.tools');
  const filter = document.getElementById('filter');
  const shown = document.getElementById('shown');
  const nomatch = document.querySelector('.nomatch');
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const apply = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, i) => {
      row.hidden = !wanted.every((word) => texts[i].includes(word));
      if (!row.hidden) count++;
    });
    nomatch.hidden = count > 0;
    shown.textContent = wanted.length ? `${count} of ${rows.length} shown` : `${rows.length} shown`;
  };
  filter.addEventListener('input', apply);
  apply();
  tools.hidden = false;
})();

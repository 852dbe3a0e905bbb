(() => {
  'use strict';
  const root = document.documentElement;
  const stored = { get: () => { try { return localStorage.getItem('errgen-theme'); } catch { return null; } },
    set: (theme) => { try { localStorage.setItem('errgen-theme', theme); } catch { /* private mode */ } } };
  if (stored.get()) root.dataset.theme = stored.get();

  document.addEventListener('DOMContentLoaded', () => {
    const $ = (selector) => document.querySelector(selector);
    const all = (selector) => [...document.querySelectorAll(selector)];
    const search = $('#q');
    $('.search').hidden = false;
    $('#theme').hidden = false;
    $('#theme').addEventListener('click', () => {
      const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset.theme = dark ? 'light' : 'dark';
      stored.set(root.dataset.theme);
    });
    const menu = $('.menu');
    const current = $('.menu [aria-current]');
    if (matchMedia('(max-width: 56rem)').matches) $('.menu details').open = false;
    else if (current) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
    document.addEventListener('keydown', (event) => {
      if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest('input')) {
        event.preventDefault();
        search.focus();
        search.select();
      }
    });
    if ($('.filters')) index($, all, search);
  });

  // index makes the table of the index searchable.
  function index($, all, search) {
    const rows = all('.category tbody tr');
    const texts = rows.map((row) => row.dataset.search);
    const terms = texts.map((text) => new Set(text.split(/[^\p{L}\p{N}_]+/u)));
    const filters = all('[data-filter]');
    const total = $('#found').textContent;
    $('.filters').hidden = false;

    const show = () => {
      const words = search.value.toLowerCase().split(/[\s"'`:;,()[\]{}]+/).filter(Boolean);
      const pressed = filters.filter((f) => f.getAttribute('aria-pressed') === 'true').map((f) => f.dataset.filter);
      const passes = rows.map((row) => pressed.every((tag) => row.dataset.tags.split(' ').includes(tag)));
      const scored = (list, has) => texts.map((text, i) => list.filter((word) => has(i, word)).length);
      let scores = scored(words, (i, word) => texts[i].includes(word));
      let least = words.length;
      const closest = least > 2 && !scores.some((score, i) => passes[i] && score === least);
      if (closest) {
        // A pasted message has values that no code has, so the codes with the most complete words are shown.
        const complete = words.filter((word) => word.length > 2);
        scores = scored(complete, (i, word) => terms[i].has(word));
        least = Math.max(2, Math.ceil(complete.length / 2), ...scores.filter((_, i) => passes[i]));
      }
      let found = 0;
      rows.forEach((row, i) => { found += !(row.hidden = !passes[i] || scores[i] < least); });
      all('.category').forEach((c) => { c.hidden = !c.querySelector('tbody tr:not([hidden])'); });
      $('#nothing').hidden = found > 0;
      $('#found').textContent = found === rows.length ? total
        : `${found} of ${total}${closest ? ', the closest ones' : ''}`;
    };
    search.value = new URLSearchParams(location.search).get('q') || '';
    search.addEventListener('input', show);
    filters.forEach((f) => f.addEventListener('click', () => {
      const on = f.getAttribute('aria-pressed') !== 'true';
      const group = (g) => /x/.test(g.dataset.filter[1] || '');
      if (on) filters.forEach((g) => { if (group(g) === group(f)) g.setAttribute('aria-pressed', 'false'); });
      f.setAttribute('aria-pressed', String(on));
      show();
    }));
    $('#clear').addEventListener('click', () => {
      search.value = '';
      filters.forEach((f) => f.setAttribute('aria-pressed', 'false'));
      show();
      search.focus();
    });

    const links = () => all('.category tbody a').filter((a) => a.checkVisibility());
    $('.search').addEventListener('submit', (event) => {
      event.preventDefault();
      const first = links()[0];
      if (search.value && first) first.click();
    });
    document.addEventListener('keydown', (event) => {
      const list = links();
      const at = list.indexOf(document.activeElement);
      if (event.key === 'Escape' && document.activeElement === search) {
        search.value = '';
        show();
      } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && (at >= 0 || document.activeElement === search)) {
        const next = event.key === 'ArrowDown' ? Math.min(at + 1, list.length - 1) : at - 1;
        event.preventDefault();
        (next < 0 ? search : list[next])?.focus();
      }
    });
    show();
  }
})();

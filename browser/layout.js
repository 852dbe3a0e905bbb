// The faults of the text on a page: words that break, texts that are cut, and texts that overlap.
(() => {
  const longest = 24; // a longer word may break
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const faults = [], lines = [];
  const clips = (e) => {
    const s = getComputedStyle(e);
    return ['hidden', 'clip'].includes(s.overflowX) || ['hidden', 'clip'].includes(s.overflowY);
  };
  for (let node; (node = walker.nextNode());) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (parent.closest('svg, script, style, noscript, option, .skip')) continue;
    const name = `${parent.closest('[class], [id]')?.className || parent.tagName}: ${node.data.trim().slice(0, 50)}`;
    for (const [at, word] of [...node.data.matchAll(/[^\s_./:@,;=(|?&\\-]+/g)].map((m) => [m.index, m[0]])) {
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      const tops = new Set([...range.getClientRects()].map((r) => Math.round(r.top)));
      if (tops.size > 1 && word.length <= longest) faults.push(`breaks ${word} in ${name}`);
    }
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      if (r.width < 1 || r.height < 1) continue;
      const top = r.top + scrollY, left = r.left + scrollX;
      let seen = true;
      for (let e = parent; e && e !== document.body; e = e.parentElement) {
        const box = e.getBoundingClientRect();
        const scrolls = ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
        if (box.width <= 1 || getComputedStyle(e).clipPath !== 'none') seen = false; // for screen readers only
        if (seen && clips(e) && (r.right > box.right + 1 || r.left < box.left - 1)) faults.push(`cuts ${name}`);
        if (scrolls) break;
        if (e.parentElement === document.body && seen && r.right > document.documentElement.clientWidth + 1) faults.push(`leaves the page: ${name}`);
      }
      if (seen) lines.push({ name, node, top, left, right: left + r.width, bottom: top + r.height, held: parent.closest('.scroll, pre') });
    }
  }
  lines.sort((a, b) => a.top - b.top);
  lines.forEach((a, i) => {
    for (let k = i + 1; k < lines.length && lines[k].top < a.bottom - 4; k++) {
      const b = lines[k];
      if (a.held === b.held && a.right > b.left + 2 && b.right > a.left + 2) faults.push(`${a.name} | overlaps | ${b.name}`);
    }
  });
  return [...new Set(faults)].slice(0, 12);
})()

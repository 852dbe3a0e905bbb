(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const colors = new Map();
  const parse = (text) => {
    if (!colors.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      colors.set(text, [r, g, b, a / 255]);
    }
    return colors.get(text);
  };
  const over = (top, bottom) => [0, 1, 2].map((i) => top[i] * top[3] + bottom[i] * (1 - top[3])).concat(1);
  const ground = (element) => {
    if (!element) return [255, 255, 255, 1];
    const own = parse(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, ground(element.parentElement));
  };
  const luminance = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const low = [];
  let texts = 0;
  const check = (what, color, element, least) => {
    const bottom = ground(element);
    const got = ratio(over(color, bottom), bottom);
    if (got < least) low.push(`${what}: ${got.toFixed(2)} of ${least}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest('script, title, desc')) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    texts++;
    check(node.data.trim().slice(0, 40), parse(element instanceof SVGElement ? style.fill : style.color), element, large ? 3 : 4.5);
  }

  const card = document.querySelector('#time .card');
  for (const name of !card ? [] : ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 's0', 's1', 's2', 's3', 's4']) {
    const probe = document.createElement('span');
    probe.className = name;
    card.append(probe);
    check(name, parse(getComputedStyle(probe).backgroundColor), card, 3);
    probe.remove();
  }
  for (const control of document.querySelectorAll('#theme, #search, #q')) {
    check(control.id, parse(getComputedStyle(control).borderTopColor), control.parentElement, 3);
  }
  return { low: [...new Set(low)], texts };
})()

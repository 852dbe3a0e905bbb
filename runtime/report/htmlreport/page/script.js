'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const root = document.documentElement;
  const report = document.getElementById('report');
  const list = (x) => x ?? [];

  // Elements are built from texts, never from markup.
  const el = (tag, props, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(props ?? {})) {
      if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
      else if (v !== undefined && v !== false) e.setAttribute(k, v === true ? '' : v);
    }
    e.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== ''));
    return e;
  };
  // A name or a path may break after its punctuation, and nowhere else.
  const bdi = (text) => el('bdi', null, String(text ?? '').split(/(?<=[_./:-])(?=[^\s_./:-])/).flatMap((part, i) => (i ? [el('wbr'), part] : part)));
  const whole = (n) => n.toLocaleString('en');
  const percent = ([part, all]) => (all ? `${(100 * part / all).toFixed(1)}%` : '–');
  const money = (n) => (n ? `$${n.toFixed(n < 1 ? 4 : 2)}` : '');
  const span = (ms) => {
    const units = [['d', 86400e3], ['h', 3600e3], ['min', 60e3], ['s', 1e3]];
    const i = units.findIndex(([, size]) => ms >= size);
    if (i < 0) return `${Math.round(ms)} ms`;
    const [unit, size] = units[i];
    const rest = units[i + 1] && Math.floor((ms % size) / units[i + 1][1]);
    return `${Math.floor(ms / size)} ${unit}${rest ? ` ${rest} ${units[i + 1][0]}` : ''}`;
  };

  // Times are local until the button is used.
  let utc = false;
  const when = (ms, short) => {
    if (!ms) return 'not known';
    const zone = utc ? { timeZone: 'UTC' } : {};
    return new Date(ms).toLocaleString('en-GB', short
      ? { ...zone, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: step % 60e3 ? '2-digit' : undefined }
      : { ...zone, day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' });
  };
  const time = (ms) => el('time', ms ? { datetime: new Date(ms).toISOString() } : {}, when(ms));

  // The content of the page from the JSON of a snapshot. Times are milliseconds, and 0 is unknown.
  const at = (t) => Math.max(0, (typeof t === 'string' ? Date.parse(t) : t) || 0);
  const named = (s) => s || 'unknown';
  const joined = (separator, ...parts) => parts.filter(Boolean).join(separator);
  const errorOf = (e) => ({
    ...e, id: e.errorId, at: at(e.timestamp), sourceCode: e.code, code: named(e.errorCode), category: named(e.category),
    message: e.message || 'no message', place: named(joined(':', e.source?.type, e.source?.component)), run: e.metadata?.run,
  });
  const recoveryOf = (r) => r && `${{ true: 'recovered', false: 'failed' }[r.successful] ?? 'tried'}, ${r.attempts} of ${r.maxAttempts}`;
  const factsOf = (e) => [
    ['Time', e.at ? new Date(e.at).toISOString() : ''], ['ID', e.id], ['Category', e.category], ['Source', e.place],
    ['Recovery', recoveryOf(e.recovery)], ['Run', e.run], ['Recoverability', e.recoverability],
    ['Reaction', joined(' → ', e.reaction, e.action)], ['Source code', e.sourceCode],
    ['Finding', e.finding && joined(' ', e.finding.code, joined(':', e.finding.file, e.finding.line, e.finding.column))],
    ['Taxonomy', e.domain], ['Endpoint', joined(' ', e.source?.method, e.source?.endpoint)],
    ['Mode', e.execution?.mode], ['Skill', e.execution?.skill], ['Tool', e.execution?.tool], ['Step', e.execution?.step],
    ['Task', e.execution?.taskId], ['Session', e.execution?.sessionId],
    ['Repository', e.github && joined(' ', `${e.github.owner}/${e.github.repo}`, e.github.entityType, e.github.entityNumber && `#${e.github.entityNumber}`)],
    ['Fingerprint', e.fingerprint],
  ].filter(([, value]) => value);
  const causesOf = (e) => (e.cause ? [joined(': ', e.cause.errorCode, e.cause.message), ...causesOf(e.cause)] : []);
  const blocksOf = (e) => [
    ['Message', e.message.length > 120 || e.message.includes('\n') ? e.message : ''], ['Caused by', causesOf(e).join('\n')],
    ['Stack', e.stack], ['Context', e.context && JSON.stringify(e.context, null, 2)],
    ['Metadata', e.metadata && JSON.stringify(e.metadata, null, 2)],
  ].filter(([, value]) => value);

  const severities = ['critical', 'high', 'medium', 'low', 'not stated'];
  const severityOf = (word) => (severities.includes(word) ? word : 'not stated');
  const severity = (word) => [el('span', { class: `swatch s${4 - severities.indexOf(severityOf(word))}`, 'aria-hidden': 'true' }), severityOf(word)];
  const codes = list(data.codes).map((c) => ({ ...c, category: c.category || 'several', latest: at(c.latest), ...data.meanings[c.code] }));
  const groups = list(data.groups).map(({ group: g, codes, sample }) => ({
    ...g, code: named(sample.errorCode), codes: codes.map(named), category: named(g.category), first: at(g.firstSeen), last: at(g.lastSeen),
    pattern: g.pattern || sample.message || 'no message', sample: errorOf(sample),
  }));
  const errors = list(data.errors).map(errorOf);
  const runs = list(data.runs).map((r) => ({
    ...r, began: at(r.began), ended: at(r.ended), spans: list(r.spans).map((s) => ({ ...s, began: at(s.began), took: s.took / 1e6 })),
  }));
  const buckets = list(data.timeline.buckets);
  const step = data.timeline.step / 1e6;
  const made = at(data.at);
  const metrics = data.metrics;
  const codeOf = new Map(codes.map((c) => [c.code, c]));

  // What is shown: the filters that a person chose.
  const filter = { bucket: null, category: null, code: null, group: null, run: null, words: [], severities: new Set(severities) };
  const clearable = {
    bucket: (i) => `${when(bucketStart(i), true)} (${span(step)})`,
    category: (c) => c,
    code: (c) => c,
    group: (i) => groups[i].pattern,
    run: (r) => `run ${r}`,
  };
  const bucketStart = (i) => at(buckets[0].start) + i * step;
  const inBucket = (from, to) => filter.bucket === null ||
    (to >= bucketStart(filter.bucket) && from < bucketStart(filter.bucket) + step);
  const says = (...texts) => filter.words.every((w) => texts.some((t) => t && t.toLowerCase().includes(w)));
  const bySeverity = (word) => filter.severities.has(severityOf(word));
  const groupShown = (g, i) => (filter.group === null || filter.group === i) && (!filter.code || g.codes.includes(filter.code)) &&
    (!filter.category || g.category === filter.category) && bySeverity(g.severity) && inBucket(g.first, g.last) &&
    (!filter.run || errors.some((e) => e.group === i && e.run === filter.run)) && says(g.pattern, g.code, g.category, g.severity);
  const errorShown = (e) => (filter.group === null || filter.group === e.group) && (!filter.code || e.code === filter.code) &&
    (!filter.category || e.category === filter.category) && (!filter.run || e.run === filter.run) && bySeverity(e.severity) &&
    (filter.bucket === null || (e.at && inBucket(e.at, e.at))) &&
    says(e.message, e.code, e.severity, ...factsOf(e).map((f) => f[1]));
  const countOf = (c) => (filter.bucket === null ? c.count : buckets[filter.bucket].byCode?.[c.code] ?? 0);
  const codeShown = (c) => (!filter.code || c.code === filter.code) && (!filter.category || c.category === filter.category) &&
    bySeverity(c.severity) && (filter.bucket === null || countOf(c) > 0) &&
    (filter.group === null || groups[filter.group].codes.includes(c.code)) &&
    (!filter.run || errors.some((e) => e.run === filter.run && e.code === c.code)) &&
    says(c.code, c.category, c.severity, c.doc, c.resolution);

  // A choice is a button; choosing it again removes the filter.
  const choose = (key, value) => {
    filter[key] = filter[key] === value ? null : value;
    if (key === 'bucket' || key === 'code') filter.group = null;
    update();
  };
  const choice = (key, value, label, props) => el('button', {
    type: 'button', class: 'plain', 'data-key': key, 'data-value': String(value), 'aria-pressed': String(filter[key] === value),
    ...props, onclick: () => choose(key, value),
  }, label);

  const section = (id, title, ...children) => el('section', { id, 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title` }, title), ...children);
  const table = (id, heads, rows) => el('div', { class: 'card scroll', role: 'region', tabindex: '0', 'aria-labelledby': `${id}-title` },
    el('table', { id: `${id}-table` },
      el('thead', null, el('tr', null, heads.map(([label, cls]) => el('th', { scope: 'col', class: cls }, label)))),
      el('tbody', null, rows)));
  const meter = (from, to) => {
    const bar = el('span');
    bar.style.left = `${100 * from}%`;
    bar.style.width = `${100 * Math.max(0, to - from)}%`;
    return el('div', { class: 'meter', 'aria-hidden': 'true' }, bar);
  };

  const figures = () => {
    const card = (name, value, note) => el('div', { class: 'card' }, el('dt', null, name), el('dd', null, value), el('dd', null, note));
    const retried = metrics.successfulRetries + metrics.failedRetries;
    const cost = runs.reduce((sum, r) => sum + r.cost, 0);
    return el('dl', { class: 'figures', id: 'figures' },
      card('Errors', whole(metrics.totalErrors), `${whole(groups.length)} groups, ${whole(codes.filter((c) => c.count).length)} codes`),
      card('Recovered', percent([metrics.successfulRecoveries, metrics.recoveryAttempts]), `${whole(metrics.successfulRecoveries)} of ${whole(metrics.recoveryAttempts)} recoveries`),
      card('Retried', percent([metrics.successfulRetries, retried]), `${whole(metrics.successfulRetries)} of ${whole(retried)} operations succeeded`),
      runs.length ? card('Runs', whole(runs.length), money(cost) || 'cost not known') : '');
  };

  const advice = () => {
    const rows = codes.filter((c) => c.resolution && c.count && codeShown(c)).slice(0, 8);
    if (!rows.length) return '';
    return section('advice', 'What to do', el('ul', { class: 'card advice' }, rows.map((c) => el('li', null,
      choice('code', c.code, el('code', null, bdi(c.code))), el('span', { class: 'number' }, `${whole(countOf(c))} ${countOf(c) === 1 ? 'error' : 'errors'}`),
      el('p', null, bdi(c.resolution))))));
  };

  let chartBy = 'bySeverity';
  const chart = () => {
    if (!buckets.length) return '';
    const totals = {};
    const named = buckets.map((b) => {
      const out = {};
      for (const [k, n] of Object.entries(b[chartBy] ?? {})) {
        const name = chartBy === 'bySeverity' ? severityOf(k) : k;
        if (chartBy === 'bySeverity' && !filter.severities.has(name)) continue;
        out[name] = (out[name] ?? 0) + n;
        totals[name] = (totals[name] ?? 0) + n;
      }
      return out;
    });
    const order = chartBy === 'bySeverity' ? severities.filter((s) => totals[s])
      : Object.keys(totals).sort((a, b) => totals[b] - totals[a] || (a < b ? -1 : 1));
    const classOf = (name) => (chartBy === 'bySeverity' ? `s${4 - severities.indexOf(name)}` : `k${Math.min(order.indexOf(name), 7)}`);
    const sums = named.map((b) => Object.values(b).reduce((a, n) => a + n, 0));
    const top = Math.max(1, ...sums);
    const bars = named.map((b, i) => {
      const parts = order.filter((name) => b[name]);
      const label = `${when(bucketStart(i), true)}: ${whole(sums[i])} ${sums[i] === 1 ? 'error' : 'errors'}${parts.length ? ` (${parts.map((p) => `${p} ${b[p]}`).join(', ')})` : ''}`;
      return choice('bucket', i, parts.map((name) => {
        const part = el('span', { class: classOf(name) });
        part.style.height = `${96 * b[name] / top}%`;
        return part;
      }), { class: 'bar', title: label, 'aria-label': label, tabindex: i === (filter.bucket ?? 0) ? '0' : '-1' });
    });
    // One bar is reached by Tab; the arrows move from there.
    const group = el('div', { class: 'bars', role: 'group', 'aria-label': 'Errors over time: choose a bar to filter', onkeydown: (e) => {
      const at = bars.indexOf(document.activeElement);
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: bars.length - 1 }[e.key];
      if (at < 0 || to === undefined) return;
      e.preventDefault();
      const next = bars[Math.min(Math.max(to, 0), bars.length - 1)];
      bars.forEach((b) => b.setAttribute('tabindex', b === next ? '0' : '-1'));
      next.focus();
    } }, bars);
    const by = (key, label) => el('button', { type: 'button', 'data-key': 'chart', 'data-value': key, 'aria-pressed': String(chartBy === key), onclick: () => { chartBy = key; update(); } }, label);
    return section('time', 'Over time', el('div', { class: 'card' },
      el('div', { class: 'tools' }, by('bySeverity', 'By severity'), by('byCategory', 'By category')),
      el('div', { class: 'plot' },
        el('div', { class: 'axis', 'aria-hidden': 'true' }, el('span', null, whole(top)), el('span', null, '0')), group,
        el('div', { class: 'times' }, el('span', null, when(bucketStart(0), true)), el('span', null, when(bucketStart(buckets.length), true)))),
      el('ul', { class: 'legend soft' }, order.map((name) => el('li', null, el('span', { class: `swatch ${classOf(name)}`, 'aria-hidden': 'true' }),
        chartBy === 'byCategory' ? choice('category', name, bdi(name)) : name, ` ${whole(totals[name])}`)))));
  };

  // The counts of an earlier report by code, from the page itself or from a file that a person chose.
  let earlier = data.earlier ? new Map(Object.entries(data.earlier)) : null;
  let earlierName = 'the earlier report';
  const readEarlier = async (file) => {
    const text = await file.text();
    const inPage = text.match(/<script id="data" type="application\/json">(.*?)<\/script>/s);
    try {
      const read = JSON.parse(inPage ? inPage[1] : text);
      const counts = inPage ? Object.fromEntries(list(read.codes).map((c) => [c.code, c.count])) : read.metrics.errorsByCode;
      earlier = new Map(Object.entries(counts).filter(([, n]) => Number.isFinite(n)));
      earlierName = file.name;
    } catch {
      earlier = null;
      earlierName = `${file.name}: not a report`;
    }
    update();
  };
  const change = (c) => {
    const before = earlier.get(c.code) ?? 0;
    const d = c.count - before;
    return el('td', { class: `number ${d > 0 ? 'more' : d < 0 ? 'fewer' : ''}` }, !before && c.count ? 'new' : !c.count ? 'gone' : d > 0 ? `+${whole(d)}` : whole(d).replace('-', '−'));
  };

  const codeTable = () => {
    const gone = earlier ? [...earlier].filter(([code, n]) => n && !codeOf.has(code)).map(([code]) => ({ code, category: '', severity: '', count: 0, latest: 0 })) : [];
    const rows = [...codes, ...gone].filter((c) => codeShown(c) && (earlier || c.count));
    const picker = el('input', { type: 'file', id: 'earlier', accept: '.html,.json', class: 'soft', onchange: (e) => e.target.files[0] && readEarlier(e.target.files[0]) });
    return section('codes', 'Codes',
      el('p', { class: 'soft tools' }, el('label', { for: 'earlier' }, earlier ? `Compared with ${earlierName}.` : earlierName.includes(':') ? earlierName : 'Compare with an earlier report (page or JSON):'), picker),
      table('codes', [['Severity'], ['Code'], ['Category', 'wide'], ['Errors', 'number'], ...(earlier ? [['Change', 'number']] : []), ['Latest', 'wide']],
        rows.map((c) => el('tr', null, el('td', { class: 'severity' }, severity(c.severity)),
          el('th', { scope: 'row' }, choice('code', c.code, el('code', null, bdi(c.code)))),
          el('td', { class: 'wide' }, bdi(c.category)), el('td', { class: 'number' }, whole(countOf(c))),
          earlier ? change(c) : '', el('td', { class: 'time wide' }, time(c.latest))))));
  };

  const most = 100;
  const groupTable = () => {
    const rows = groups.map((g, i) => [g, i]).filter(([g, i]) => groupShown(g, i));
    if (!groups.length) return '';
    return section('groups', 'Groups', el('p', { class: 'soft', role: 'status' }, `${whole(rows.length)} of ${whole(groups.length)} groups${rows.length > most ? `, the first ${most} are shown` : ''}`),
      table('groups', [['Severity'], ['Group'], ['Category', 'wide'], ['Errors', 'number'], ['First', 'wide'], ['Last', 'wide']],
        rows.slice(0, most).map(([g, i]) => el('tr', null, el('td', { class: 'severity' }, severity(g.severity)),
          el('th', { scope: 'row' }, choice('group', i, [el('code', null, bdi(g.code)), ' ', bdi(g.pattern)])),
          el('td', { class: 'wide' }, bdi(g.category)), el('td', { class: 'number' }, whole(g.count)),
          el('td', { class: 'time wide' }, time(g.first)), el('td', { class: 'time wide' }, time(g.last))))));
  };

  const detail = (e) => {
    const advice = codeOf.get(e.code)?.resolution;
    return el('div', { class: 'detail' }, advice ? el('p', null, 'What to do: ', bdi(advice)) : '',
      el('dl', null, factsOf(e).map(([k, v]) => el('div', null, el('dt', null, k), el('dd', null, bdi(v))))),
      blocksOf(e).map(([k, v]) => el('div', null, el('h3', null, k), el('pre', { tabindex: '0', role: 'region', 'aria-label': k }, bdi(v)))));
  };
  const errorList = () => {
    let rows = errors.filter(errorShown);
    // A group keeps its first error even if it is not among the latest.
    if (filter.group !== null && !rows.length) rows = [groups[filter.group].sample];
    if (!errors.length && !rows.length) return '';
    return section('errors', 'Errors', el('p', { class: 'soft', role: 'status' }, `${whole(rows.length)} of the latest ${whole(errors.length)} errors${rows.length > most ? `, the first ${most} are shown` : ''}`),
      el('div', { class: 'card scroll list' }, rows.slice(0, most).map((e) => {
        const d = el('details', { class: 'error', ontoggle: () => { if (d.open && d.children.length === 1) d.append(detail(e)); } },
          el('summary', null, el('span', { class: 'time' }, time(e.at)), el('span', { class: 'severity' }, severity(e.severity)),
            el('span', null, el('code', null, bdi(e.code)), ' ', bdi(e.message)), el('span', { class: 'soft wide' }, bdi(e.place))));
        return d;
      })));
  };

  const kinds = { call: 'call', wait: 'wait', check: 'check', recovery: 'recovery', tier: 'escalation' };
  const runList = () => {
    const shown = runs.filter((r) => (!filter.run || r.id === filter.run) && (!filter.code || r.spans.some((s) => s.code === filter.code) || errors.some((e) => e.run === r.id && e.code === filter.code)) &&
      inBucket(r.began, r.ended || made) && says(r.id, r.task, r.end, ...r.spans.flatMap((s) => [s.label, s.code, s.tier])));
    if (!runs.length) return '';
    const tiers = [...new Set(runs.flatMap((r) => r.spans.map((s) => s.tier)).filter(Boolean))];
    return section('runs', 'Runs', el('p', { class: 'soft', role: 'status' }, `${shown.length} of ${runs.length} runs`),
      el('ul', { class: 'legend soft' }, tiers.map((t, i) => el('li', null, el('span', { class: `swatch k${i % 6}`, 'aria-hidden': 'true' }), 'calls of ', bdi(t)))),
      el('div', { class: 'card' }, shown.map((r) => {
        const spans = r.spans;
        const end = Math.max(r.ended || 0, r.began + 1, ...spans.map((s) => s.began + s.took));
        const words = (s) => `${kinds[s.kind] ?? s.kind} ${[s.label, s.tier, s.code, s.took ? span(s.took) : '', money(s.cost ?? 0), s.failed && !s.code ? 'failed' : ''].filter(Boolean).join(', ')}`;
        const bar = el('div', { class: 'track', role: 'img', 'aria-label': `${spans.length} parts of run ${r.id}` }, spans.map((s) => {
          const part = el('span', { class: `${s.kind === 'call' ? `k${Math.max(0, tiers.indexOf(s.tier)) % 6}` : s.kind}${s.failed ? ' failed' : ''}`, title: words(s) });
          part.style.left = `${100 * (s.began - r.began) / (end - r.began)}%`;
          part.style.width = `${100 * s.took / (end - r.began)}%`;
          return part;
        }));
        const calls = spans.filter((s) => s.kind === 'call').length;
        return el('div', { class: 'run' },
          el('div', null, choice('run', r.id, bdi(r.id)), r.task ? bdi(r.task) : '', el('strong', null, bdi(r.end || 'running')),
            el('span', { class: 'soft' }, time(r.began), ` · ${[span(end - r.began), `${calls} calls`, r.tokens ? `${whole(r.tokens)} tokens` : '', money(r.cost), r.dropped ? `${r.dropped} parts are not shown` : ''].filter(Boolean).join(' · ')}`)),
          bar,
          el('details', null, el('summary', { class: 'soft' }, 'Parts as a list'),
            el('ol', null, spans.map((s) => el('li', null, time(s.began), ' ', bdi(words(s)))))));
      })));
  };

  const outcomes = list(data.outcomes).map((r) => ({
    ...r, helped: r.recovered + r.successfulRetries, tried: r.recovered + r.failed + r.pending + r.successfulRetries + r.failedRetries,
  }));
  const reactions = () => (outcomes.length ? section('reactions', 'Reactions', table('reactions',
    [['Reaction'], ['Action'], ['Errors', 'number'], ['Helped', 'number'], ['', 'wide']],
    outcomes.map((r) => el('tr', null, el('th', { scope: 'row' }, el('code', null, bdi(named(r.reaction)))), el('td', null, bdi(named(r.action))),
      el('td', { class: 'number' }, whole(r.count)), el('td', { class: 'number' }, r.tried ? `${percent([r.helped, r.tried])} (${r.helped} of ${r.tried})` : 'not tried'),
      el('td', { class: 'wide' }, r.tried ? meter(0, r.helped / r.tried) : ''))))) : '');
  const forecasts = () => (list(data.forecasts).length ? section('forecast', 'Forecast', el('p', { class: 'soft' }, 'The probability that the next call of a provider fails with a code, and its 90% interval.'),
    table('forecast', [['Provider'], ['Code'], ['Probability', 'number'], ['Interval', 'number'], ['', 'wide']],
      data.forecasts.map((f) => el('tr', null, el('td', null, bdi(named(f.provider))), el('th', { scope: 'row' }, el('code', null, bdi(named(f.code)))),
        el('td', { class: 'number' }, percent([f.probability, 1])), el('td', { class: 'number' }, `${percent([f.low, 1])} – ${percent([f.high, 1])}`), el('td', { class: 'wide' }, meter(f.low, f.high)))))) : '');
  const bySource = Object.entries(metrics.errorsBySource ?? {}).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, 20);
  const sources = () => (bySource.length ? section('sources', 'Sources', table('sources', [['Source'], ['Errors', 'number'], ['', 'wide']],
    bySource.map(([name, n]) => el('tr', null, el('th', { scope: 'row' }, bdi(name)), el('td', { class: 'number' }, whole(n)), el('td', { class: 'wide' }, meter(0, n / Math.max(1, metrics.totalErrors))))))) : '');

  const notes = [
    data.timeline.outside && `${data.timeline.outside} are not in the chart: old ones, or with a time that is too far from the others.`,
    data.dropped.errors && `${data.dropped.errors} are in ${data.dropped.groups} groups that were dropped: old ones, or to make room.`,
    ...list(data.notes),
  ].filter(Boolean);

  const toggle = (word) => el('button', { type: 'button', 'data-key': 'severity', 'data-value': word, 'aria-pressed': String(filter.severities.has(word)), onclick: (e) => {
    if (!filter.severities.delete(word)) filter.severities.add(word);
    e.target.setAttribute('aria-pressed', String(filter.severities.has(word)));
    update();
  } }, word);
  const chips = el('div', { class: 'chips', role: 'status' });
  const search = el('input', { id: 'search', type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'message, code, category, source, ID', 'aria-label': 'Search', oninput: () => {
    filter.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    update();
  } });
  const bar = el('div', { id: 'filters', class: 'card' }, el('div', { class: 'tools' }, search, severities.map(toggle)), chips);
  const body = el('div');

  const update = () => {
    // The focus and what is open stay where they are, although everything is made anew.
    const { key, value } = document.activeElement?.dataset ?? {};
    const inBars = document.activeElement?.closest?.('#report section')?.id;
    const set = Object.keys(clearable).filter((k) => filter[k] !== null);
    chips.replaceChildren(...set.map((k) => el('button', { type: 'button', 'aria-label': `Remove the filter ${clearable[k](filter[k])}`, onclick: () => { filter[k] = null; update(); search.focus(); } }, bdi(clearable[k](filter[k])), ' ×')));
    chips.hidden = !set.length;
    body.replaceChildren(...[advice(), chart(), codeTable(), groupTable(), errorList(), runList(), reactions(), sources(), forecasts(),
      notes.length ? section('notes', 'Not on this page', el('ul', { class: 'soft' }, notes.map((n) => el('li', null, n)))) : ''].filter(Boolean));
    document.getElementById('made').textContent = `Error report, made ${when(made)}${utc ? ' UTC' : ' local time'}`;
    if (key) (body.querySelector(`#${inBars} [data-key="${key}"][data-value="${CSS.escape(value)}"]`) ?? body.querySelector(`[data-key="${key}"][data-value="${CSS.escape(value)}"]`) ?? bar.querySelector(`[data-value="${CSS.escape(value)}"]`))?.focus();
  };

  const zone = document.getElementById('zone');
  const theme = document.getElementById('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme || (dark.matches ? 'dark' : 'light')) === 'dark';
  const labels = () => {
    zone.textContent = utc ? 'Show local time' : 'Show UTC';
    theme.textContent = isDark() ? 'Light theme' : 'Dark theme';
  };
  zone.addEventListener('click', () => { utc = !utc; labels(); update(); });
  theme.addEventListener('click', () => { root.dataset.theme = isDark() ? 'light' : 'dark'; labels(); });
  dark.addEventListener('change', labels);
  labels();
  document.querySelector('.top .tools').hidden = false;
  if (!data.empty) {
    report.append(figures(), bar, body);
    update();
  } else {
    document.getElementById('made').textContent = `Error report, made ${when(made)}`;
  }
})();

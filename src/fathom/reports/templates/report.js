"use strict";
/* Everything shown here comes from outside: it goes into text nodes, never into markup. */
(() => {
  const data = JSON.parse(document.getElementById("index").textContent);
  const list = document.getElementById("questions");
  const told = document.getElementById("told");
  const more = document.getElementById("more");
  const pageSize = 30;
  const signs = { c: "✓", i: "✗", e: "!", u: "?", "-": "–" };
  const outcomes = { c: "correct", i: "incorrect", e: "error", u: "not judged", "-": "not asked" };
  const chunks = new Map();
  let found = [];
  let shown = 0;

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "run") node.style.setProperty("--c", `var(--run-${value % 10})`);
      else if (name === "class") node.className = value;
      else node.setAttribute(name, value);
    }
    for (const child of children) {
      if (child !== null && child !== undefined) node.append(child);
    }
    return node;
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  function chunk(number) {
    if (!chunks.has(number)) {
      chunks.set(number, unpack(document.getElementById(`chunk-${number}`).textContent));
    }
    return chunks.get(number);
  }

  function outcome(letter, run) {
    const name = data.letters[run];
    return make("span", { class: `o o-${letter}`, title: `${name}: ${outcomes[letter]}` },
      `${name}${signs[letter]}`, make("span", { class: "hidden" }, ` ${outcomes[letter]}`));
  }

  function sql(pieces) {
    const block = make("pre");
    for (let i = 0; i < pieces.length; i += 2) {
      block.append(pieces[i] ? make("span", { class: pieces[i] }, pieces[i + 1]) : pieces[i + 1]);
    }
    return block;
  }

  function cell(value, differs) {
    const shownAs = value === null ? "NULL" : String(value);
    return make("td", { class: (differs ? "differs " : "") + (value === null ? "null" : "") }, shownAs);
  }

  /* Rows that both results hold are not marked; the others are paired in order and compared cell by cell. */
  function marks(rows, others) {
    const left = new Map();
    for (const row of others) {
      const key = JSON.stringify(row);
      left.set(key, (left.get(key) || 0) + 1);
    }
    const equal = rows.map((row) => {
      const key = JSON.stringify(row);
      const count = left.get(key) || 0;
      if (count) left.set(key, count - 1);
      return count > 0;
    });
    const remaining = [];
    for (const row of others) {
      const key = JSON.stringify(row);
      if (left.get(key)) { left.set(key, left.get(key) - 1); remaining.push(row); }
    }
    let next = 0;
    return rows.map((row, i) => {
      if (equal[i]) return row.map(() => false);
      const partner = remaining[next++];
      return row.map((value, j) => !partner || JSON.stringify(value) !== JSON.stringify(partner[j]));
    });
  }

  function table(preview, other, name) {
    if (!preview) return make("p", { class: "soft small" }, "no result");
    const differ = other ? marks(preview.rows, other.rows) : null;
    const head = make("tr", {}, ...preview.columns.map((c) => make("th", { scope: "col" }, c)));
    const body = make("tbody");
    preview.rows.forEach((row, i) => {
      body.append(make("tr", {}, ...row.map((v, j) => cell(v, differ && differ[i][j]))));
    });
    const several = preview.row_count === 1 && !preview.cut ? "row" : "rows";
    const count = `${preview.row_count.toLocaleString("en")}${preview.cut ? " or more" : ""} ${several}`;
    const note = preview.rows.length < preview.row_count ? `${count}, ${preview.rows.length} shown` : count;
    return make("div", {},
      scroll(name, make("table", { class: "rows" },
        make("caption", { class: "hidden" }, name), make("thead", {}, head), body)),
      make("div", { class: "soft small" }, note));
  }

  function scroll(name, content) {
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": name }, content);
  }

  function difference(clauses) {
    if (clauses === null) return make("p", { class: "soft small" }, "One of the queries can't be parsed.");
    if (!clauses.length) return null;
    const items = clauses.map(([clause, missing, extra]) => {
      const item = make("li", {}, make("b", {}, clause), ": ");
      missing.forEach((m, i) => item.append(i ? ", " : "lacks ", make("code", {}, m)));
      if (missing.length && extra.length) item.append("; ");
      extra.forEach((e, i) => item.append(i ? ", " : "has ", make("code", {}, e)));
      return item;
    });
    return make("div", { class: "small" }, make("b", {}, "Against gold"), make("ul", { class: "difference" }, ...items));
  }

  function trace(steps) {
    if (!steps.length) return null;
    const rows = steps.map((s) => make("tr", {},
      make("td", {}, s.name, make("div", { class: "soft" }, s.module)),
      make("td", { class: "number" }, s.calls === null ? "" : String(s.calls)),
      make("td", { class: "number" }, s.tokens.toLocaleString("en")),
      make("td", { class: "number" }, s.cost === null ? "unknown" : `$${s.cost.toFixed(4)}`),
      make("td", { class: "number" }, s.seconds.toFixed(3)),
      make("td", {}, s.found ? make("details", {}, make("summary", {}, "found"), make("pre", {}, s.found)) : "")));
    const head = make("tr", {}, ...["step", "calls", "tokens", "cost", "seconds", "found"].map((h) => make("th", { scope: "col" }, h)));
    return make("details", { class: "small" }, make("summary", {}, `Trace: ${steps.length} steps`),
      scroll("Trace", make("table", {}, make("caption", { class: "hidden" }, "Trace"),
        make("thead", {}, head), make("tbody", {}, ...rows))));
  }

  function answer(run, question, number) {
    const heading = make("h3", {}, make("span", { class: "badge", run: number }, data.letters[number]), " ",
      data.runs[number], " ", make("span", { class: `o-${run.o}` }, outcomes[run.o]));
    const facts = [run.verdict, ...Object.entries(run.classes || {}).map(([by, name]) => `${by}: ${name}`)];
    if (run.declined) facts.push(run.refusal ? `declined: ${run.refusal}` : "declined");
    if (run.score !== null && run.score !== undefined) facts.push(`partial credit ${run.score.toFixed(2)}`);
    if (run.confidence !== null && run.confidence !== undefined) facts.push(`confidence ${run.confidence.toFixed(2)}`);
    if (run.seconds !== null && run.seconds !== undefined) facts.push(`${run.seconds.toFixed(2)} s`);
    const rows = run.rows || (run.o === "c" ? question.rows : null);
    const right = run.o === "c";
    return make("section", { class: "answer", run: number }, heading,
      make("div", { class: "soft small" }, facts.filter(Boolean).join(" · ")),
      run.error ? make("p", { class: "error" }, run.error) : null,
      run.sql ? sql(run.sql) : make("p", { class: "soft" }, "no query"),
      difference(run.difference),
      right || run.o !== "i" ? null : make("div", { class: "sides" },
        make("div", {}, make("b", { class: "small" }, "Result"), table(rows, question.rows, "Result")),
        make("div", {}, make("b", { class: "small" }, "Gold result"), table(question.rows, rows, "Gold result"))),
      trace(run.trace));
  }

  async function fill(inside, position) {
    const questions = await chunk(Math.floor(position / data.chunk));
    const question = questions[position % data.chunk];
    const gold = question.answerable
      ? question.gold.map(sql) : [make("p", {}, "This question can't be answered from the data.")];
    inside.replaceChildren(
      question.evidence ? make("p", {}, make("b", {}, "Evidence: "), question.evidence) : "",
      question.tags.length ? make("p", { class: "soft small" }, question.tags.join(" · ")) : "",
      make("h3", {}, "Gold"), ...gold, question.rows ? table(question.rows, null, "Gold result") : "",
      ...question.runs.map((run, number) => (run ? answer(run, question, number) : "")));
  }

  function entry(position) {
    const q = data.questions[position];
    const inside = make("div", { class: "inside" }, make("p", { class: "soft" }, "…"));
    const marksOf = make("span", { class: "outcomes" }, ...[...q.o].map(outcome));
    const meta = [q.i, q.d, q.l].filter(Boolean).join(" · ");
    const node = make("details", { class: "question" },
      make("summary", {}, make("span", {}, q.q), marksOf, make("span", { class: "meta soft small" }, meta)), inside);
    node.addEventListener("toggle", () => {
      if (node.open && !node.dataset.filled) {
        node.dataset.filled = "1";
        fill(inside, position).catch((error) => inside.replaceChildren(make("p", { class: "error" }, String(error))));
      }
    });
    return node;
  }

  function matches(q, text, which, level, database, kind) {
    if (kind && !q.k.includes(kind)) return false;
    if (level && q.l !== level) return false;
    if (database && q.d !== database) return false;
    if (text && !`${q.i} ${q.q}`.toLowerCase().includes(text)) return false;
    const judged = [...q.o].filter((o) => o !== "-" && o !== "u");
    if (which === "disagree") return new Set(judged).size > 1;
    if (which === "none") return judged.length > 0 && !judged.includes("c");
    if (which === "all") return judged.length > 0 && judged.every((o) => o === "c");
    if (which === "error") return judged.includes("e");
    if (which === "unjudged") return q.o.includes("u");
    return true;
  }

  function next() {
    const until = Math.min(shown + pageSize, found.length);
    for (; shown < until; shown++) list.append(entry(found[shown]));
    more.hidden = shown >= found.length;
    told.textContent = found.length ? `${found.length.toLocaleString("en")} questions, ${shown} shown` : "No question is like this.";
  }

  function search() {
    const value = (id) => document.getElementById(id).value;
    const text = value("text").trim().toLowerCase();
    found = data.questions.map((_, i) => i).filter((i) =>
      matches(data.questions[i], text, value("which"), value("level"), value("database"), value("class")));
    list.replaceChildren();
    shown = 0;
    next();
  }

  function options(id, key) {
    const select = document.getElementById(id);
    const found = [...new Set(data.questions.flatMap((q) => q[key]).filter(Boolean))];
    const values = key === "l" ? data.levels.filter((level) => found.includes(level)) : found.sort();
    select.hidden = values.length < 2;
    for (const value of values) select.append(make("option", { value }, value));
  }

  options("level", "l");
  options("database", "d");
  options("class", "k");
  for (const id of ["which", "level", "database", "class"]) document.getElementById(id).addEventListener("change", search);
  document.getElementById("text").addEventListener("input", search);
  more.addEventListener("click", next);
  search();
  if (location.hash.startsWith("#question=")) {
    const wanted = decodeURIComponent(location.hash.slice(10));
    const position = data.questions.findIndex((q) => q.i === wanted);
    if (position >= 0) {
      found = [position, ...found.filter((i) => i !== position)];
      list.replaceChildren();
      shown = 0;
      next();
      list.firstChild.open = true;
      list.firstChild.scrollIntoView();
    }
  }
})();

"use strict";
// Charts: text and lines take the page's colour, so that they follow light and dark.
const specs = JSON.parse(document.getElementById("specs").textContent);
const narrow = window.innerWidth < 700;
const grid = "rgba(128, 128, 128, 0.25)";
const config = {
  axis: { labelColor: "currentColor", titleColor: "currentColor", domainColor: "currentColor", tickColor: "currentColor", gridColor: grid, labelLimit: 160 },
  legend: { orient: narrow ? "bottom" : "right", labelColor: "currentColor", titleColor: "currentColor", symbolBaseFillColor: "#888888" },
  title: { color: "currentColor", anchor: "start" },
  view: { stroke: grid },
};
// On a narrow screen figures stand below one another, no wider than the screen, so that their text stays readable.
function fitted(spec) {
  if (!narrow) return spec;
  const { hconcat, ...rest } = spec;
  const parts = hconcat === undefined ? {} : { vconcat: hconcat.map(fitted) };
  const width = typeof spec.width === "number" ? { width: Math.min(spec.width, window.innerWidth - 110) } : {};
  return { ...rest, ...parts, ...width };
}
const drawn = [...document.querySelectorAll("[data-chart]")].map((place) =>
  vegaEmbed(place, fitted(specs[place.dataset.chart]), { renderer: "svg", actions: false, config }),
);
Promise.all(drawn).then(() => document.body.setAttribute("data-ready", "true"));

// Tables: a click on a heading sorts, typing searches.
for (const frame of document.querySelectorAll(".table")) {
  const body = frame.querySelector("tbody");
  const headings = [...frame.querySelectorAll("th")];
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
      };
      const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
      const rows = [...body.rows].sort((a, b) => (down ? order(key(b), key(a)) : order(key(a), key(b))));
      body.append(...rows);
    });
  });
  const search = frame.querySelector("input[type=search]");
  if (search) {
    search.addEventListener("input", () => {
      const wanted = search.value.toLowerCase();
      for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
  }
}

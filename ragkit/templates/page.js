// Columns sort, by value where cells begin with a number or a share; tables of some length get a filter.
(() => {
  const number = text => {
    const share = /^([\d.]+)\/(\d+)/.exec(text);
    return share ? share[1] / share[2] : parseFloat(text.replace("\u2212", "-"));
  };
  const value = (row, column) => row.cells[column].textContent.trim();
  const compared = (a, b) => {
    const [x, y] = [number(a), number(b)];
    return (x - y) || a.localeCompare(b, undefined, { numeric: true });
  };

  function sortable(table) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        table.tHead.querySelectorAll("[aria-sort]").forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        body.append(...[...body.rows].sort((a, b) => sign * compared(value(a, column), value(b, column))));
      });
    });
  }

  function filtered(table, place) {
    const rows = [...table.tBodies[0].rows];
    const label = document.createElement("label");
    label.className = "filter";
    const input = document.createElement("input");
    input.type = "search";
    const count = document.createElement("output");
    const told = n => { count.textContent = `${n} of ${rows.length} rows`; };
    label.append("Filter ", input, " ", count);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      rows.forEach(row => {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
      });
      told(rows.filter(row => !row.hidden).length);
    });
    told(rows.length);
    place.before(label);
  }

  document.querySelectorAll(".scroll table").forEach(table => {
    if (!table.tHead || table.tHead.rows.length !== 1 || table.tBodies.length !== 1) return;
    if (table.tBodies[0].rows.length > 1) sortable(table);
    if (table.tBodies[0].rows.length > 9) filtered(table, table.closest(".scroll"));
  });
})();

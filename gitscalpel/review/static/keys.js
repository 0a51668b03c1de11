// Every button that has a key is pressed by it; j and k go through the list, n and p through the files.
"use strict";

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (typing && event.key === "Escape") typing.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (event.key === "n" || event.key === "p") turn(event.key === "n" ? 1 : -1);
  else if (!press(event.key)) return;
  event.preventDefault();
});

function press(key) {
  const button = document.querySelector(`button[data-key="${CSS.escape(key)}"]`);
  if (!button) return false;
  const needs = button.dataset.needs && document.getElementById(button.dataset.needs);
  if (needs && !needs.value.trim()) needs.focus();
  else button.click();
  return true;
}

function step(by) {
  const links = [...document.querySelectorAll("nav a")];
  const at = links.findIndex((link) => link.getAttribute("aria-current"));
  const next = links[Math.min(Math.max(at + by, 0), links.length - 1)];
  if (next && next !== links[at]) next.click();
}

function turn(by) {
  const files = [...document.querySelectorAll("article.file")];
  const at = files.indexOf(document.activeElement.closest("article.file"));
  const next = files[Math.min(Math.max(at + by, 0), files.length - 1)];
  if (next) next.focus();
}

// Before anything is drawn: the colours that were chosen last, so that nothing flashes.
(function () {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be forbidden; the system's colours do.
  }
})();

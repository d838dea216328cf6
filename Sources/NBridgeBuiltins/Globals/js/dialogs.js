// SPDX-License-Identifier: MIT
// alert, confirm and prompt (HTML standard, section 8.8.1), for a terminal.
(({ print, confirm, prompt }) => ({
  alert(message = "") { print(`${message}`); },
  confirm(message = "") { return confirm(`${message}`); },
  prompt(message = "", text = "") { return prompt(`${message}`, `${text}`); },
}))

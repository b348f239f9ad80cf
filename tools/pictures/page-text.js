// Runs in a page, just before its picture is taken. What differs between machines and runs becomes an example.

/** Every text that the page shows: text nodes, and values of fields. */
function holders() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push([walker.currentNode, 'data']);
  for (const field of document.querySelectorAll('input, textarea')) found.push([field, 'value']);
  return found;
}

/**
 * `elements`: a selector, and the text of each of its elements. `patterns`: regular expressions and what replaces them.
 * @returns the texts after that.
 */
globalThis.settle = ({ elements, patterns }) => {
  for (const [selector, texts] of elements)
    for (const [index, text] of texts.entries()) {
      const element = document.querySelectorAll(selector)[index];
      if (element) element.textContent = text;
    }
  const replaced = (text) =>
    patterns.reduce((result, [pattern, value]) => result.replace(new RegExp(pattern, 'g'), value), text);
  for (const [holder, member] of holders()) {
    const text = replaced(holder[member]);
    if (text !== holder[member]) holder[member] = text;
  }
  return holders().map(([holder, member]) => holder[member]);
};

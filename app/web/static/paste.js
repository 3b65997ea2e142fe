// Reads people from a pasted text, by the rules of the server.
const person = /(?:"([^"\n]*)"|([^<>,;"\n\t]*))\s*<\s*([^<>\s]+)\s*>|(?:([^<>,;"\n\t]+)\t+)?([^\s<>,;"]+@[^\s<>,;"]+)/g;

// parse returns the people named in a text, and whether something in it is no person.
export function parse(text) {
  if (text.length > 20000) return { people: [], left: true };
  const people = [],
    left = text.replace(person, (_, quoted, bare, bracketed, cell, plain) => {
      people.push({ name: (quoted || bare || cell || '').trim(), email: bracketed || plain });
      return '';
    });
  return { people, left: /[^\s,;]/.test(left) };
}

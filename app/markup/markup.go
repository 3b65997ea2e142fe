// Package markup reads HTML templates of package html/template: it removes the white space that only
// people need before a template is used, and lays out templates for them.
//
// Both follow one rule: white space may be added or removed only where no browser shows it, which is
// beside the edges of blocks and between the children of flexible boxes. Everywhere else it is kept,
// as a space or a line break.
package markup

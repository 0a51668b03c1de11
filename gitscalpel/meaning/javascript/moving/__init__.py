"""A definition of JavaScript or TypeScript moves to another file, with what it needs and what names it."""

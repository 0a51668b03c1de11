"""Import statements of JavaScript and TypeScript: what they bring, added, taken out, put in order."""

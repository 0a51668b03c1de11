"""JavaScript and TypeScript: what their imports, expressions, types and classes mean."""

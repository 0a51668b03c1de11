"""One module per kind of piece: where it belongs in a file, and the splices that make it."""

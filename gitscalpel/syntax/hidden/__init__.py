"""What grammars are not shown of each language, as patterns of what to hide; see ``masking``."""

"""Nothing: where it would lie compiled, ``bundle.py`` keeps its file, which is uninstalled with this one."""

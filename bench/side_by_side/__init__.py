"""gitscalpel beside what people would take instead, on the same bytes and in pairs.

``ways/`` has a file for each way to make an edit, ``rows/`` one for each thing that is measured, and
``curves/`` one for each thing that grows; ``pairs.py`` runs them, ``table.py`` and ``picture.py`` show what
came out.
"""

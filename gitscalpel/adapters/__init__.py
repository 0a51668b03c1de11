"""The tools that coding agents know: their names, parameters, results and refusals, done by our verbs.

``table.py`` says which dialects there are; each has a file with its tools. ``tool.py`` says what a tool is: a
conversation that asks for edits and looks, and ends with what the agent is told. Who asks and who answers is
its caller's: a server does it with verbs, ``reading.py`` takes the operations out of calls that were sent.
Pure: nothing here reads a disk or starts a program.
"""

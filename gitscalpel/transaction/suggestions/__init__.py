"""Changesets from commands of the team: suggestions and codemods."""

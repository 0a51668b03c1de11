"""Apply the operations of a changeset to a snapshot."""

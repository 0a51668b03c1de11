"""Web page on this machine for reviewing open transactions."""

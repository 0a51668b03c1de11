"""Operations, requests, paths and rules."""

"""Operations on imports that are the same for all languages."""

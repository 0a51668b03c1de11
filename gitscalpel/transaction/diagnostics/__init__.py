"""Language servers and commands tell which errors a change brings, and what would mend them."""

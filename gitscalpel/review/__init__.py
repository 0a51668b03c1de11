"""The page on which people review open transactions: on this machine, for whoever was given its address."""

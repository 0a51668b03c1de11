"""What a caller asks for and what the answer contains: operations, requests, rules, answers."""

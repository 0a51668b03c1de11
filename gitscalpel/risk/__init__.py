"""How risky a change is, and why: factors that are counted, a formula that anybody can follow."""

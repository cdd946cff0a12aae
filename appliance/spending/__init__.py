"""What it costs, and when to stop. One ledger; every figure shown anywhere is read from it."""

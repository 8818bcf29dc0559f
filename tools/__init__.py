"""What a user of the wheel never runs: proofs, searches, campaigns, measurements, peers."""

"""``loom regress --executor slurm`` on a Slurm of one node, which is started and stopped here."""

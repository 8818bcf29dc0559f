"""Operations that keep the order of accesses to memories."""

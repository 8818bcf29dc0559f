"""Operations that have no unit become operations that have one."""

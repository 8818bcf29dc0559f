// Words with a tag above the value through every handshake unit that moves data.
!t = !dataflow.tagged<i8, i4>
handshake.func @tagged_words(%a: !t, %b: !t, %c: i1, %start: none, ...)
    -> (!t, !t, !t, tuple<!t, i8>, i1, none)
    attributes {argNames = ["a", "b", "c", "start"],
                resNames = ["chosen", "merged", "first", "pair", "index", "done"]} {
  %as:4 = fork [4] %a : !t
  %cs:4 = fork [4] %c : i1
  %unused, %left = cond_br %cs#0, %as#0 : !t
  %right, %dropped = cond_br %cs#1, %b : !t
  %picked = mux %cs#2 [%left, %right] : i1, !t
  %kept = buffer [2] seq %picked : !t
  %true, %false = cond_br %cs#3, %as#1 : !t
  %merged, %index = control_merge %false, %true : !t, i1
  %again = merge %merged : !t
  %lazy:2 = lazy_fork [2] %as#2 : !t
  %synced:2 = sync %lazy#0, %start : !t, none
  %deep = buffer [3] fifo %lazy#1 : !t
  %eight = constant %synced#1 {value = 8 : i8} : i8
  %pair = pack %deep, %eight : tuple<!t, i8>
  sink %unused : !t
  sink %dropped : !t
  %done = join %as#3, %start : !t, none
  return %kept, %again, %synced#0, %pair, %index, %done : !t, !t, !t, tuple<!t, i8>, i1, none
}

// CRC-32 by nibbles: the table is a constant global, that is a ROM inside the circuit.
memref.global "private" constant @nibbles : memref<16xi32> = dense<[
  0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
  0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C]>
func.func @crc32(%data: memref<16xi8>, %length: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %four = arith.constant 4 : i32
  %fifteen = arith.constant 15 : i32
  %ones = arith.constant -1 : i32
  %table = memref.get_global @nibbles : memref<16xi32>
  %crc = scf.for %i = %c0 to %length step %c1 iter_args(%old = %ones) -> (i32) {
    %byte = memref.load %data[%i] : memref<16xi8>
    %wide = arith.extui %byte : i8 to i32
    %x = arith.xori %old, %wide : i32
    %low = arith.andi %x, %fifteen : i32
    %at = arith.index_castui %low : i32 to index
    %entry = memref.load %table[%at] : memref<16xi32>
    %rest = arith.shrui %x, %four : i32
    %y = arith.xori %entry, %rest : i32
    %low2 = arith.andi %y, %fifteen : i32
    %at2 = arith.index_castui %low2 : i32 to index
    %entry2 = memref.load %table[%at2] : memref<16xi32>
    %rest2 = arith.shrui %y, %four : i32
    %new = arith.xori %entry2, %rest2 : i32
    scf.yield %new : i32
  }
  %result = arith.xori %crc, %ones : i32
  return %result : i32
}

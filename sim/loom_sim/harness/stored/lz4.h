// The two functions of LZ4 that Verilator's wave writer calls, without compression: a block of
// literals only, which every LZ4 reader takes. So a wave needs no library on the machine.
// Source: LZ4 block format description, "Literals length".
#pragma once
#include <cstring>

inline int LZ4_compressBound(int size) { return size + size / 255 + 16; }

inline int LZ4_compress_default(const char* source, char* target, int size, int capacity) {
  if (capacity < LZ4_compressBound(size)) return 0;
  char* out = target;
  if (size < 15) {
    *out++ = static_cast<char>(size << 4);
  } else {
    *out++ = static_cast<char>(0xF0);
    int rest = size - 15;
    for (; rest >= 255; rest -= 255) *out++ = static_cast<char>(255);
    *out++ = static_cast<char>(rest);
  }
  std::memcpy(out, source, static_cast<std::size_t>(size));
  return static_cast<int>(out - target) + size;
}

// The two functions of zlib that Verilator's wave writer calls, without compression: stored
// blocks, which every zlib reader takes. So a wave needs no library on the machine.
// Source: RFC 1950 (format, Adler-32) and RFC 1951, section 3.2.4 (stored blocks).
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

using Bytef = unsigned char;
using uLong = unsigned long;
using uLongf = unsigned long;
constexpr int Z_OK = 0;
constexpr int Z_BUF_ERROR = -5;

inline uLong compressBound(uLong size) { return size + 5 * (size / 65535 + 1) + 6; }

inline int compress2(Bytef* target, uLongf* capacity, const Bytef* source, uLong size, int) {
  if (*capacity < compressBound(size)) return Z_BUF_ERROR;
  Bytef* out = target;
  *out++ = 0x78;
  *out++ = 0x01;
  std::uint32_t low = 1, high = 0;
  for (uLong k = 0; k < size; ++k) {
    low = (low + source[k]) % 65521;
    high = (high + low) % 65521;
  }
  uLong done = 0;
  do {
    const uLong length = std::min<uLong>(size - done, 65535);
    *out++ = done + length == size;
    *out++ = static_cast<Bytef>(length);
    *out++ = static_cast<Bytef>(length >> 8);
    *out++ = static_cast<Bytef>(~length);
    *out++ = static_cast<Bytef>(~length >> 8);
    std::memcpy(out, source + done, length);
    out += length;
    done += length;
  } while (done < size);
  for (const std::uint32_t half : {high, low}) {
    *out++ = static_cast<Bytef>(half >> 8);
    *out++ = static_cast<Bytef>(half);
  }
  *capacity = static_cast<uLongf>(out - target);
  return Z_OK;
}

#include "store/rocks/log_scan.h"

#include <algorithm>
#include <array>

namespace proa::store {
namespace log_scan {

// The format: blocks of 32 kB, filled with fragments that never cross a block's end. A fragment has
// a header (masked CRC32C of type and payload, length, type, little endian) and a payload.
constexpr uint64_t kBlock = 32768;
constexpr uint64_t kHeader = 7;
// Disks write whole sectors; an unwritten one reads as zeros.
constexpr uint64_t kSector = 512;
enum Type : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

constexpr auto kCrcTable = [] {
  std::array<std::array<uint32_t, 256>, 4> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
    table[0][i] = crc;
  }
  for (size_t slice = 1; slice < 4; ++slice) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t crc = table[slice - 1][i];
      table[slice][i] = (crc >> 8) ^ table[0][crc & 0xff];
    }
  }
  return table;
}();

uint32_t masked_crc(std::string_view text) {
  uint32_t crc = 0xffffffffu;
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = at + text.size();
  for (; end - at >= 4; at += 4) {
    crc ^= static_cast<uint32_t>(at[0]) | static_cast<uint32_t>(at[1]) << 8 |
           static_cast<uint32_t>(at[2]) << 16 | static_cast<uint32_t>(at[3]) << 24;
    crc = kCrcTable[3][crc & 0xff] ^ kCrcTable[2][(crc >> 8) & 0xff] ^
          kCrcTable[1][(crc >> 16) & 0xff] ^ kCrcTable[0][crc >> 24];
  }
  for (; at != end; ++at) crc = (crc >> 8) ^ kCrcTable[0][(crc ^ *at) & 0xff];
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

struct Fragment {
  uint8_t type = 0;
  std::string_view payload;
  uint64_t end = 0;
  const char* problem = nullptr;  // set if it is invalid
  bool cut_off = false;           // the file ends inside it
};

uint8_t byte_at(std::string_view file, uint64_t offset) {
  return static_cast<uint8_t>(file[offset]);
}

// The CRC includes the type byte, which is right before the payload.
bool crc_fits(std::string_view file, uint64_t offset, uint64_t length) {
  const uint32_t stored = static_cast<uint32_t>(byte_at(file, offset)) |
                          static_cast<uint32_t>(byte_at(file, offset + 1)) << 8 |
                          static_cast<uint32_t>(byte_at(file, offset + 2)) << 16 |
                          static_cast<uint32_t>(byte_at(file, offset + 3)) << 24;
  return masked_crc(file.substr(offset + kHeader - 1, length + 1)) == stored;
}

// The start of the zeros at the end of a file: preallocated blocks. A record may end with zeros of
// its own.
uint64_t written_end(std::string_view file) {
  const size_t last = file.find_last_not_of('\0');
  return last == std::string_view::npos ? 0 : last + 1;
}

// Whether the checksum matches if the record ends where the written part does.
bool fits_to_the_end(std::string_view file, uint64_t offset, uint64_t end) {
  constexpr uint64_t kZerosOfItsOwn = 16;
  const uint64_t shortest = end > offset + kHeader ? end - offset - kHeader : 0;
  for (uint64_t length = shortest; length <= shortest + kZerosOfItsOwn; ++length) {
    if (offset + kHeader + length > file.size()) return false;
    if (crc_fits(file, offset, length)) return true;
  }
  return false;
}

// `end`: of the written part. REQUIRES: offset < end.
Fragment read_fragment(std::string_view file, uint64_t offset, uint64_t end) {
  // The last byte of a header is never zero.
  if (end - offset < kHeader) {
    return {.problem = "the log ends inside a record", .cut_off = true};
  }
  Fragment fragment{.type = byte_at(file, offset + 6)};
  const uint64_t length = static_cast<uint64_t>(byte_at(file, offset + 4)) |
                          static_cast<uint64_t>(byte_at(file, offset + 5)) << 8;
  fragment.end = offset + kHeader + length;
  if (fragment.type < kFull || fragment.type > kLast) {
    fragment.problem = "a record of an unknown type";
  } else if (offset % kBlock + kHeader + length > kBlock) {
    fragment.problem = "a record with an impossible length";
  } else if (fragment.end > file.size() || !crc_fits(file, offset, length)) {
    // A damaged length can also reach past the end; then the checksum matches what is there.
    fragment.cut_off = fragment.end > end && !fits_to_the_end(file, offset, end);
    fragment.problem = fragment.cut_off ? "the log ends inside a record"
                                        : "a record with a wrong checksum or length";
  } else {
    fragment.payload = file.substr(offset + kHeader, length);
  }
  return fragment;
}

uint64_t skip_block_end(uint64_t offset) {
  const uint64_t left = kBlock - offset % kBlock;
  return left < kHeader ? offset + left : offset;
}

// Assembles fragments. The input may begin anywhere.
class Assembler {
 public:
  // The problem of this fragment at this place; null if there is none.
  const char* add(const Fragment& fragment, uint64_t offset) {
    const bool begins = fragment.type == kFull || fragment.type == kFirst;
    if (begins == inside_)
      return begins ? "a record without its end" : "a record without its beginning";
    if (begins) record_ = {.offset = offset};
    record_.payload.append(fragment.payload);
    inside_ = fragment.type == kFirst || fragment.type == kMiddle;
    return nullptr;
  }
  bool inside() const { return inside_; }
  const LogRecord& record() const { return record_; }
  void reset() { inside_ = false; }

 private:
  LogRecord record_;
  bool inside_ = false;
};

bool all_zero(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return byte == 0; });
}

// Whether a sector after `from` was never written, although later ones were.
bool misses_a_sector(std::string_view file, uint64_t from) {
  for (uint64_t at = from; at < file.size();) {
    const uint64_t end = std::min<uint64_t>((at / kSector + 1) * kSector, file.size());
    // A few zeros at the end of a sector are not conclusive.
    if (end - at >= 16 && all_zero(file.substr(at, end - at))) return true;
    at = end;
  }
  return false;
}

void find_later(std::string_view file, uint64_t from, uint64_t end,
                const std::function<void(const LogRecord&)>& later) {
  Assembler assembler;
  for (uint64_t offset = from; offset < end && offset + kHeader <= file.size();) {
    const uint64_t skipped = skip_block_end(offset);
    if (skipped != offset) {
      offset = skipped;
      continue;
    }
    const Fragment fragment = read_fragment(file, offset, end);
    if (fragment.problem != nullptr) {
      ++offset;
      continue;
    }
    const bool fits = assembler.add(fragment, offset) == nullptr;
    if (!fits) assembler.reset();
    if (fits && !assembler.inside()) later(assembler.record());
    offset = fragment.end;
  }
}

}  // namespace log_scan

LogScan scan_log(std::string_view file, const std::function<void(const LogRecord&)>& good,
                 const std::function<void(const LogRecord&)>& later) {
  LogScan scan{.size = file.size()};
  const uint64_t end = log_scan::written_end(file);
  log_scan::Assembler assembler;
  uint64_t offset = 0;
  bool cut_off = false;
  while (true) {
    offset = log_scan::skip_block_end(offset);
    if (offset >= end) {
      if (assembler.inside()) scan.problem = "the log ends inside a record";
      cut_off = assembler.inside();
      break;
    }
    const log_scan::Fragment fragment = log_scan::read_fragment(file, offset, end);
    const char* problem = fragment.problem;
    if (problem == nullptr) problem = assembler.add(fragment, offset);
    if (problem != nullptr) {
      scan.problem = problem;
      cut_off = fragment.cut_off;
      break;
    }
    offset = fragment.end;
    if (assembler.inside()) continue;
    good(assembler.record());
    scan.good_end = offset;
  }
  if (!scan.bad()) return scan;
  scan.looks_torn = cut_off || log_scan::misses_a_sector(file.substr(0, end), scan.good_end);
  log_scan::find_later(file, scan.good_end + 1, end, later);
  return scan;
}

}  // namespace proa::store

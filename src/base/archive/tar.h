#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

// Tar archives of regular files in the ustar format, which any `tar` reads: their headers, and
// whole archives in memory.
namespace proa {

inline constexpr size_t kTarBlock = 512;

struct TarMember {
  std::string name;
  uint64_t size = 0;
  mode_t mode = 0600;
};

// The block in front of a member. kInvalid if the name has 100 bytes or more, or the size 8 GiB.
Result<std::string> make_tar_header(const TarMember& member, Time time = {});
// kInvalid for anything but an intact header of a regular file; the message completes a sentence
// that begins with the archive's name. Input is not trusted.
Result<TarMember> parse_tar_header(std::span<const char, kTarBlock> block);
// Zero bytes behind a member, up to the next block.
uint64_t tar_padding(uint64_t size);
// Two zero blocks: the end of an archive.
std::string tar_end();

// An archive in memory. The same files give the same bytes: they belong to root and are from 1970.
class Tar {
 public:
  // REQUIRES: the name has less than 100 bytes.
  void add(std::string_view name, std::string_view content, mode_t mode);
  // REQUIRES: called once; nothing is added afterwards.
  std::string finish();

 private:
  std::string bytes_;
};

}  // namespace proa

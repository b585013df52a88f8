#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/archive/tar.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::cli {

// Writes regular files in the ustar format, so that any `tar` can list and unpack the archive. Uses
// only write(2), so `file` may be a pipe.
class ArchiveWriter {
 public:
  // `file` is open for writing and stays owned by the caller; `what` names it in messages.
  ArchiveWriter(int file, std::string what, Time time)
      : file_(file), what_(std::move(what)), time_(time) {}

  // Writes the header of the next member. REQUIRES: all bytes of the previous one were written.
  Result<void> begin(const TarMember& member);
  Result<void> write(std::string_view bytes);
  // Writes the end-of-archive mark.
  Result<void> finish();
  uint64_t bytes() const { return bytes_; }

 private:
  Result<void> pad();
  Result<void> write_all(std::string_view bytes);

  const int file_;
  const std::string what_;
  const Time time_;
  uint64_t bytes_ = 0;
  uint64_t left_ = 0;  // bytes of the current member still to be written
};

// Reads such an archive. All input is treated as hostile: members that are not regular files with
// plain names, and inconsistent headers, are refused. The caller decides which names are valid.
class ArchiveReader {
 public:
  ArchiveReader(int file, std::string what) : file_(file), what_(std::move(what)) {}

  // The next member; nullopt at the end mark. REQUIRES: the previous one was read to its end.
  Result<std::optional<TarMember>> next();
  // The next bytes of the member, in `buffer`; empty at its end.
  Result<std::string_view> read(std::span<char> buffer);

 private:
  Result<void> read_block(std::span<char> block);
  Status refused(std::string_view why) const;

  const int file_;
  const std::string what_;
  uint64_t left_ = 0;     // unread bytes of the member
  uint64_t padding_ = 0;  // after the member
};

}  // namespace proa::cli

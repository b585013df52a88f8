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

// Writes regular files one after the other in the ustar format, so that any `tar` can list and
// unpack what we wrote. Asks for nothing but write(2): pipes will do.
class ArchiveWriter {
 public:
  // `file` is open for writing and stays the caller's; `what` names it in messages.
  ArchiveWriter(int file, std::string what, Time time)
      : file_(file), what_(std::move(what)), time_(time) {}

  // The header of the next member. REQUIRES: the one before has got all its bytes.
  Result<void> begin(const TarMember& member);
  Result<void> write(std::string_view bytes);
  // Behind the last member: the mark that says that nothing was cut off.
  Result<void> finish();
  uint64_t bytes() const { return bytes_; }

 private:
  Result<void> pad();
  Result<void> write_all(std::string_view bytes);

  const int file_;
  const std::string what_;
  const Time time_;
  uint64_t bytes_ = 0;
  uint64_t left_ = 0;  // of the member that was begun
};

// Reads such an archive from beginning to end. All bytes are taken as hostile: whatever is no
// regular file under a plain name is refused, so are headers that do not add up. What a name may be
// is for the caller to say.
class ArchiveReader {
 public:
  ArchiveReader(int file, std::string what) : file_(file), what_(std::move(what)) {}

  // The next member; nothing at the end mark. REQUIRES: the one before was read to its end.
  Result<std::optional<TarMember>> next();
  // The next bytes of the member, in `buffer`; empty at its end.
  Result<std::string_view> read(std::span<char> buffer);

 private:
  Result<void> read_block(std::span<char> block);
  Status refused(std::string_view why) const;

  const int file_;
  const std::string what_;
  uint64_t left_ = 0;     // of the member
  uint64_t padding_ = 0;  // behind it
};

}  // namespace proa::cli

#include "cli/backup/archive.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/check.h"

namespace proa::cli {
namespace archive {

bool is_zero(std::span<const char> block) {
  return std::ranges::all_of(block, [](char byte) { return byte == '\0'; });
}

}  // namespace archive

Result<void> ArchiveWriter::begin(const TarMember& member) {
  TRY(pad());
  const std::string header = TRY(make_tar_header(member, time_));
  TRY(write_all(header));
  left_ = member.size;
  return {};
}

Result<void> ArchiveWriter::write(std::string_view bytes) {
  CHECK(bytes.size() <= left_);
  left_ -= bytes.size();
  return write_all(bytes);
}

Result<void> ArchiveWriter::finish() {
  TRY(pad());
  return write_all(tar_end());
}

Result<void> ArchiveWriter::pad() {
  CHECK(left_ == 0);
  return write_all(std::string(tar_padding(bytes_), '\0'));
}

Result<void> ArchiveWriter::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno_status("writing " + what_, errno);
    }
    bytes_ += static_cast<uint64_t>(written);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status ArchiveReader::refused(std::string_view why) const {
  return {Reason::kInvalid, fmt::format("it {}", why)};
}

Result<void> ArchiveReader::read_block(std::span<char> block) {
  size_t filled = 0;
  while (filled < block.size()) {
    const ssize_t got = ::read(file_, block.data() + filled, block.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno_status("reading " + what_, errno);
    }
    if (got == 0) return refused("is truncated");
    filled += static_cast<size_t>(got);
  }
  return {};
}

Result<std::optional<TarMember>> ArchiveReader::next() {
  CHECK(left_ == 0);
  std::array<char, kTarBlock> block{};
  TRY(read_block({block.data(), static_cast<size_t>(std::exchange(padding_, 0))}));
  TRY(read_block(block));
  if (archive::is_zero(block)) {
    TRY(read_block(block));
    if (!archive::is_zero(block)) return refused("has data after its end");
    return std::optional<TarMember>();
  }
  Result<TarMember> member = parse_tar_header(block);
  if (!member) return refused(member.status().message());
  left_ = member->size;
  padding_ = tar_padding(member->size);
  return std::optional<TarMember>(std::move(*member));
}

Result<std::string_view> ArchiveReader::read(std::span<char> buffer) {
  const size_t size = static_cast<size_t>(std::min<uint64_t>(left_, buffer.size()));
  TRY(read_block(buffer.first(size)));
  left_ -= size;
  return std::string_view(buffer.data(), size);
}

}  // namespace proa::cli

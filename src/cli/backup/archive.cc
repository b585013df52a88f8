#include "cli/backup/archive.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace proa::cli {
namespace archive {

constexpr size_t kBlock = 512;
// What eleven octal digits can say. The store's files are of 64 MB, so nothing of ours comes near.
constexpr uint64_t kMostBytes = (uint64_t{1} << 33) - 1;

// As POSIX.1-1988 lays it out. Numbers are octal digits with a NUL behind them.
struct Header {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6];
  char version[2];
  char user[32];
  char group[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char rest[12];
};
static_assert(sizeof(Header) == kBlock);

uint64_t padding_behind(uint64_t size) { return (kBlock - size % kBlock) % kBlock; }

// The sum of all bytes, with spaces in the place of the sum itself.
uint64_t sum_of(Header header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  std::array<unsigned char, kBlock> bytes{};
  std::memcpy(bytes.data(), &header, kBlock);
  uint64_t sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  return sum;
}

template <size_t N>
void put_octal(char (&field)[N], uint64_t number) {
  const std::string digits = fmt::format("{:0{}o}", number, N - 1);
  CHECK(digits.size() < N);
  std::memcpy(field, digits.c_str(), N);
}

template <size_t N>
std::string_view text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

// Octal digits up to a NUL or space; leading spaces are what old programs write.
template <size_t N>
std::optional<uint64_t> octal_of(const char (&field)[N]) {
  std::string_view text(field, N);
  text = text.substr(0, text.find('\0'));
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  uint64_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return std::nullopt;
    number = number * 8 + static_cast<uint64_t>(digit - '0');  // twelve digits at most: it fits
  }
  return number;
}

bool is_zero(std::span<const char> block) {
  return std::ranges::all_of(block, [](char byte) { return byte == '\0'; });
}

}  // namespace archive

Result<void> ArchiveWriter::begin(const ArchiveMember& member) {
  TRY(pad());
  archive::Header header{};
  if (member.name.empty() || member.name.size() >= sizeof header.name ||
      member.size > archive::kMostBytes) {
    return Status(Reason::kInvalid, fmt::format("{} has a name or a size that does not fit into an "
                                                "archive (99 bytes, 8 GiB)",
                                                member.name));
  }
  std::memcpy(header.name, member.name.data(), member.name.size());
  archive::put_octal(header.mode, member.mode & 0777);
  archive::put_octal(header.uid, 0);
  archive::put_octal(header.gid, 0);
  archive::put_octal(header.size, member.size);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time_.time_since_epoch()).count();
  archive::put_octal(header.mtime, static_cast<uint64_t>(std::max<int64_t>(seconds, 0)));
  header.type = '0';
  std::memcpy(header.magic, "ustar", sizeof header.magic);
  std::memcpy(header.version, "00", sizeof header.version);
  const std::string sum = fmt::format("{:06o}", archive::sum_of(header));
  std::memcpy(header.checksum, sum.c_str(), sum.size() + 1);
  header.checksum[7] = ' ';
  TRY(write_all({reinterpret_cast<const char*>(&header), sizeof header}));
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
  return write_all(std::string(2 * archive::kBlock, '\0'));
}

Result<void> ArchiveWriter::pad() {
  CHECK(left_ == 0);
  return write_all(std::string(archive::padding_behind(bytes_), '\0'));
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
  return {Reason::kInvalid, fmt::format("{} {}", what_, why)};
}

Result<void> ArchiveReader::read_block(std::span<char> block) {
  size_t filled = 0;
  while (filled < block.size()) {
    const ssize_t got = ::read(file_, block.data() + filled, block.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno_status("reading " + what_, errno);
    }
    if (got == 0) return refused("is cut off: its end is missing");
    filled += static_cast<size_t>(got);
  }
  return {};
}

Result<std::optional<ArchiveMember>> ArchiveReader::next() {
  CHECK(left_ == 0);
  std::array<char, archive::kBlock> block{};
  TRY(read_block({block.data(), static_cast<size_t>(std::exchange(padding_, 0))}));
  TRY(read_block(block));
  if (archive::is_zero(block)) {
    TRY(read_block(block));
    if (!archive::is_zero(block)) return refused("goes on behind its end");
    return std::optional<ArchiveMember>();
  }
  archive::Header header{};
  std::memcpy(&header, block.data(), sizeof header);
  if (archive::text_of(header.magic) != "ustar")
    return refused("is no archive in the ustar format");
  if (archive::octal_of(header.checksum) != archive::sum_of(header)) {
    return refused("is damaged: the checksum of a header is wrong");
  }
  ArchiveMember member{.name = std::string(archive::text_of(header.name))};
  // Folders, links, devices, and names continued elsewhere: nothing that we write.
  if (header.type != '0' || header.link[0] != '\0' || header.prefix[0] != '\0') {
    return refused(fmt::format("holds \"{}\", which is no regular file", member.name));
  }
  const std::optional<uint64_t> size = archive::octal_of(header.size);
  const std::optional<uint64_t> mode = archive::octal_of(header.mode);
  if (!size || *size > archive::kMostBytes || !mode) {
    return refused(fmt::format("has a damaged header for \"{}\"", member.name));
  }
  member.size = *size;
  member.mode = static_cast<mode_t>(*mode & 0777);
  left_ = *size;
  padding_ = archive::padding_behind(*size);
  return std::optional<ArchiveMember>(std::move(member));
}

Result<std::string_view> ArchiveReader::read(std::span<char> buffer) {
  const size_t size = static_cast<size_t>(std::min<uint64_t>(left_, buffer.size()));
  TRY(read_block(buffer.first(size)));
  left_ -= size;
  return std::string_view(buffer.data(), size);
}

}  // namespace proa::cli

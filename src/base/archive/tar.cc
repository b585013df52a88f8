#include "base/archive/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/check.h"

namespace proa {
namespace tar {

// What eleven octal digits can hold.
constexpr uint64_t kMaxSize = (uint64_t{1} << 33) - 1;

// The layout of POSIX.1-1988. Numbers are octal digits followed by a NUL.
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
static_assert(sizeof(Header) == kTarBlock);

// The sum of all bytes, with spaces in place of the sum itself.
uint64_t sum_of(Header header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  std::array<unsigned char, kTarBlock> bytes{};
  std::memcpy(bytes.data(), &header, kTarBlock);
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

// Octal digits up to a NUL or space; old programs write leading spaces.
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
    number = number * 8 + static_cast<uint64_t>(digit - '0');  // at most twelve digits: it fits
  }
  return number;
}

Status invalid(std::string why) { return {Reason::kInvalid, std::move(why)}; }

}  // namespace tar

Result<std::string> make_tar_header(const TarMember& member, Time time) {
  tar::Header header{};
  if (member.name.empty() || member.name.size() >= sizeof header.name ||
      member.size > tar::kMaxSize) {
    return tar::invalid(
        fmt::format("{}: name or size exceeds the tar limits (99 bytes, 8 GiB)", member.name));
  }
  std::memcpy(header.name, member.name.data(), member.name.size());
  tar::put_octal(header.mode, member.mode & 0777);
  tar::put_octal(header.uid, 0);
  tar::put_octal(header.gid, 0);
  tar::put_octal(header.size, member.size);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  tar::put_octal(header.mtime, static_cast<uint64_t>(std::max<int64_t>(seconds, 0)));
  header.type = '0';
  std::memcpy(header.magic, "ustar", sizeof header.magic);
  std::memcpy(header.version, "00", sizeof header.version);
  const std::string sum = fmt::format("{:06o}", tar::sum_of(header));
  std::memcpy(header.checksum, sum.c_str(), sum.size() + 1);
  header.checksum[7] = ' ';
  return std::string(reinterpret_cast<const char*>(&header), sizeof header);
}

Result<TarMember> parse_tar_header(std::span<const char, kTarBlock> block) {
  tar::Header header{};
  std::memcpy(&header, block.data(), sizeof header);
  if (tar::text_of(header.magic) != "ustar") {
    return tar::invalid("is not an archive in the ustar format");
  }
  if (tar::octal_of(header.checksum) != tar::sum_of(header)) {
    return tar::invalid("is damaged: the checksum of a header is wrong");
  }
  TarMember member{.name = std::string(tar::text_of(header.name))};
  // Folders, links, devices, continued names: nothing that we write.
  if (header.type != '0' || header.link[0] != '\0' || header.prefix[0] != '\0') {
    return tar::invalid(fmt::format("holds \"{}\", which is not a regular file", member.name));
  }
  const std::optional<uint64_t> size = tar::octal_of(header.size);
  const std::optional<uint64_t> mode = tar::octal_of(header.mode);
  if (!size || *size > tar::kMaxSize || !mode) {
    return tar::invalid(fmt::format("has a damaged header for \"{}\"", member.name));
  }
  member.size = *size;
  member.mode = static_cast<mode_t>(*mode & 0777);
  return member;
}

uint64_t tar_padding(uint64_t size) { return (kTarBlock - size % kTarBlock) % kTarBlock; }

std::string tar_end() { return std::string(2 * kTarBlock, '\0'); }

void Tar::add(std::string_view name, std::string_view content, mode_t mode) {
  const auto header =
      make_tar_header({.name = std::string(name), .size = content.size(), .mode = mode});
  CHECK(header.ok());
  bytes_ += *header;
  bytes_ += content;
  bytes_.append(tar_padding(content.size()), '\0');
}

std::string Tar::finish() {
  bytes_ += tar_end();
  return std::move(bytes_);
}

}  // namespace proa

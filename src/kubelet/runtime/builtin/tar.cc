#include "kubelet/runtime/builtin/tar.h"

#include <fmt/format.h>

#include "base/check.h"

namespace proa::kubelet {
namespace tar {

constexpr size_t kBlock = 512;

// A field of a header: where it begins in the block, and how long it is.
struct Field {
  size_t at;
  size_t length;
};
// As POSIX.1-1988 lays them out.
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kSum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};

void put(std::string& header, Field field, std::string_view text) {
  CHECK(text.size() <= field.length);
  header.replace(field.at, text.size(), text);
}

// Octal digits with a NUL behind them.
void put_number(std::string& header, Field field, uint64_t number) {
  put(header, field, fmt::format("{:0{}o}", number, field.length - 1));
}

// The sum of all bytes, with spaces in the place of the sum itself.
void put_sum(std::string& header) {
  put(header, kSum, "        ");
  uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(header, kSum, fmt::format("{:06o}", sum) + std::string(1, '\0') + " ");
}

std::string header_of(std::string_view name, size_t size, mode_t mode) {
  CHECK(name.size() < kName.length);
  std::string header(kBlock, '\0');
  put(header, kName, name);
  put_number(header, kMode, mode);
  put_number(header, kUser, 0);
  put_number(header, kGroup, 0);
  put_number(header, kSize, size);
  put_number(header, kTime, 0);
  put(header, kType, "0");
  put(header, kMagic,
      std::string_view("ustar\0"
                       "00",
                       8));
  put_sum(header);
  return header;
}

}  // namespace tar

void Tar::add(std::string_view name, std::string_view content, mode_t mode) {
  bytes_ += tar::header_of(name, content.size(), mode);
  bytes_ += content;
  bytes_.resize((bytes_.size() + tar::kBlock - 1) / tar::kBlock * tar::kBlock, '\0');
}

std::string Tar::finish() {
  bytes_.append(2 * tar::kBlock, '\0');
  return std::move(bytes_);
}

}  // namespace proa::kubelet

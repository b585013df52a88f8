#include "base/random.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace proa {

namespace random_numbers {

uint64_t read(const unsigned char* bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof(number); ++i) number = (number << 8) | bytes[i];
  return number;
}

}  // namespace random_numbers

uint64_t Random::next() {
  std::array<unsigned char, sizeof(uint64_t)> bytes{};
  fill(bytes);
  return random_numbers::read(bytes.data());
}

uint64_t Random::below(uint64_t bound) {
  CHECK(bound > 0);
  // Numbers below (2^64 mod bound) are rejected: the rest divides evenly.
  const uint64_t uneven = -bound % bound;
  uint64_t number = next();
  while (number < uneven) number = next();
  return number % bound;
}

void SystemRandom::fill(std::span<unsigned char> out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0) {
      CHECK(errno == EINTR);
      continue;
    }
    out = out.subspan(static_cast<size_t>(got));
  }
}

void SeededRandom::fill(std::span<unsigned char> out) {
  MutexLock lock(mutex_);
  // splitmix64: small, fast, and every seed is good.
  while (!out.empty()) {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    mixed ^= mixed >> 31;
    const size_t count = std::min(out.size(), sizeof(mixed));
    std::memcpy(out.data(), &mixed, count);
    out = out.subspan(count);
  }
}

std::string make_uid(Random& random) {
  std::array<unsigned char, 16> bytes{};
  random.fill(bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);  // version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);  // the variant of RFC 4122
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(kForm);
  size_t at = 0;  // in half bytes
  for (char& digit : text) {
    if (digit == '-') continue;
    digit = kDigits[(bytes[at / 2] >> (at % 2 == 0 ? 4 : 0)) & 0xF];
    ++at;
  }
  return text;
}

std::string make_suffix(Random& random, size_t length) {
  // No vowels, and no digits that look like vowels.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  // As Random::below() would choose, but from one call of fill(): each is a system call.
  constexpr uint64_t kUneven = -uint64_t{kAlphabet.size()} % kAlphabet.size();
  std::vector<unsigned char> bytes(length * sizeof(uint64_t));
  random.fill(bytes);
  std::string suffix;
  suffix.reserve(length);
  for (size_t i = 0; i < length; ++i) {
    const uint64_t number = random_numbers::read(&bytes[i * sizeof(uint64_t)]);
    const bool is_even = number >= kUneven;
    suffix += kAlphabet[is_even ? number % kAlphabet.size() : random.below(kAlphabet.size())];
  }
  return suffix;
}

}  // namespace proa

#include "crypto/cipher/secretbox.h"

#include <array>
#include <bit>
#include <cstdint>

#include "base/check.h"
#include "crypto/constant_time.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace secretbox {

using Words = std::array<uint32_t, 16>;

constexpr int kRounds = 20;
constexpr size_t kBlockSize = 64;
constexpr size_t kPolyKeySize = 32;
constexpr size_t kHalfNonce = 16;  // the part that goes into the derived key
// "expand 32-byte k"
constexpr std::array<uint32_t, 4> kConstants = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

uint32_t word_at(std::string_view bytes, size_t index) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) {
    word |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[4 * index + i])) << (8 * i);
  }
  return word;
}

void put_word(uint32_t word, char* to) {
  for (size_t i = 0; i < 4; ++i) to[i] = static_cast<char>(word >> (8 * i));
}

// The matrix of the key and 16 bytes of input: a nonce, or a nonce and a counter.
Words matrix(std::string_view key, const std::array<uint32_t, 4>& input) {
  Words words{};
  for (size_t i = 0; i < 4; ++i) {
    words[5 * i] = kConstants[i];
    words[6 + i] = input[i];
    words[1 + i] = word_at(key, i);
    words[11 + i] = word_at(key, 4 + i);
  }
  return words;
}

void quarter_round(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  b ^= std::rotl(a + d, 7);
  c ^= std::rotl(b + a, 9);
  d ^= std::rotl(c + b, 13);
  a ^= std::rotl(d + c, 18);
}

void mix(Words& x) {
  for (int round = 0; round < kRounds; round += 2) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[5], x[9], x[13], x[1]);
    quarter_round(x[10], x[14], x[2], x[6]);
    quarter_round(x[15], x[3], x[7], x[11]);
    quarter_round(x[0], x[1], x[2], x[3]);
    quarter_round(x[5], x[6], x[7], x[4]);
    quarter_round(x[10], x[11], x[8], x[9]);
    quarter_round(x[15], x[12], x[13], x[14]);
  }
}

// HSalsa20: the key for the second half of the nonce.
std::string derive_key(std::string_view key, std::string_view nonce) {
  Words words =
      matrix(key, {word_at(nonce, 0), word_at(nonce, 1), word_at(nonce, 2), word_at(nonce, 3)});
  mix(words);
  constexpr std::array<size_t, 8> kTaken = {0, 5, 10, 15, 6, 7, 8, 9};
  std::string derived(kSecretboxKeySize, '\0');
  for (size_t i = 0; i < kTaken.size(); ++i) put_word(words[kTaken[i]], derived.data() + 4 * i);
  return derived;
}

// The key stream, block by block.
class Stream {
 public:
  Stream(std::string_view key, std::string_view nonce)
      : key_(derive_key(key, nonce.substr(0, kHalfNonce))), nonce_(nonce.substr(kHalfNonce)) {}

  std::array<char, kBlockSize> next() {
    const Words begin =
        matrix(key_, {word_at(nonce_, 0), word_at(nonce_, 1), static_cast<uint32_t>(counter_),
                      static_cast<uint32_t>(counter_ >> 32)});
    ++counter_;
    Words words = begin;
    mix(words);
    std::array<char, kBlockSize> block;
    for (size_t i = 0; i < words.size(); ++i) put_word(words[i] + begin[i], block.data() + 4 * i);
    return block;
  }

 private:
  const std::string key_;
  const std::string nonce_;
  uint64_t counter_ = 0;
};

// The first bytes of the stream are the key of the tag, those that follow hide the text.
class Box {
 public:
  Box(std::string_view key, std::string_view nonce) : stream_(key, nonce) {
    CHECK(key.size() == kSecretboxKeySize && nonce.size() == kSecretboxNonceSize);
    block_ = stream_.next();
    poly_key_.assign(block_.data(), kPolyKeySize);
  }

  // Appends the text with the stream added; the same takes it away again.
  void hide(std::string_view text, std::string& out) {
    out.reserve(out.size() + text.size());
    for (const char byte : text) {
      if (used_ == kBlockSize) {
        block_ = stream_.next();
        used_ = 0;
      }
      out.push_back(static_cast<char>(byte ^ block_[used_++]));
    }
  }

  std::string tag(std::string_view hidden) const {
    static EVP_MAC* const kMac = EVP_MAC_fetch(nullptr, "POLY1305", nullptr);
    CHECK(kMac != nullptr);
    const std::unique_ptr<EVP_MAC_CTX, openssl::Freed<EVP_MAC_CTX_free>> context(
        EVP_MAC_CTX_new(kMac));
    std::array<unsigned char, kSecretboxTagSize> tag;
    size_t size = 0;
    CHECK(context != nullptr &&
          EVP_MAC_init(context.get(), openssl::bytes_of(poly_key_), poly_key_.size(), nullptr) ==
              1 &&
          EVP_MAC_update(context.get(), openssl::bytes_of(hidden), hidden.size()) == 1 &&
          EVP_MAC_final(context.get(), tag.data(), &size, tag.size()) == 1 && size == tag.size());
    return {reinterpret_cast<const char*>(tag.data()), tag.size()};
  }

 private:
  Stream stream_;
  std::array<char, kBlockSize> block_;
  size_t used_ = kPolyKeySize;
  std::string poly_key_;
};

}  // namespace secretbox

void seal_secretbox(std::string_view key, std::string_view nonce, std::string_view plain,
                    std::string& out) {
  secretbox::Box box(key, nonce);
  const size_t begin = out.size();
  out.append(kSecretboxTagSize, '\0');
  box.hide(plain, out);
  const std::string tag = box.tag(std::string_view(out).substr(begin + kSecretboxTagSize));
  out.replace(begin, kSecretboxTagSize, tag);
}

std::optional<std::string> open_secretbox(std::string_view key, std::string_view nonce,
                                          std::string_view sealed) {
  if (sealed.size() < kSecretboxTagSize) return std::nullopt;
  secretbox::Box box(key, nonce);
  const std::string_view hidden = sealed.substr(kSecretboxTagSize);
  if (!equal_in_constant_time(box.tag(hidden), sealed.substr(0, kSecretboxTagSize)))
    return std::nullopt;
  std::string plain;
  box.hide(hidden, plain);
  return plain;
}

}  // namespace proa::crypto

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/encoding.h"

struct evp_mac_ctx_st;
struct evp_md_ctx_st;

namespace proa::crypto {

// The bytes of a hash. Computing one cannot fail: the functions below abort if OpenSSL lacks the
// algorithm.
template <size_t Size>
struct Digest {
  std::array<unsigned char, Size> bytes{};

  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), Size}; }
  std::string str() const { return std::string(view()); }
  std::string hex() const { return to_hex(view()); }
  bool operator==(const Digest&) const = default;
};
using Sha1Digest = Digest<20>;
using Sha256Digest = Digest<32>;
using Sha512Digest = Digest<64>;
using SipDigest = Digest<16>;

Sha256Digest sha256(std::string_view bytes);
Sha512Digest sha512(std::string_view bytes);
// Broken as a signature; only for protocols that demand it (WebSocket handshakes).
Sha1Digest sha1(std::string_view bytes);

Sha256Digest hmac_sha256(std::string_view key, std::string_view bytes);

// SHA-256 of bytes that arrive in parts.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // REQUIRES: called once; nothing is added afterwards.
  Sha256Digest finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// SipHash-2-4 with 128 bits: a keyed hash for cache keys. Without the key nobody can find two
// inputs with one hash. Hashing a kilobyte takes less than a microsecond, which SHA-256 does not
// achieve on every machine. A copy continues from the state of the original.
class SipHash {
 public:
  static constexpr size_t kKeySize = 16;
  explicit SipHash(const std::array<unsigned char, kKeySize>& key);
  SipHash(const SipHash& other);
  SipHash& operator=(const SipHash&) = delete;

  // Hashes the length of the part, too, so that no two sequences of parts are alike.
  void add(std::string_view part);
  // REQUIRES: called once; nothing is added afterwards.
  SipDigest finish();

 private:
  struct Free {
    void operator()(evp_mac_ctx_st* context) const;
  };
  std::unique_ptr<evp_mac_ctx_st, Free> context_;
};

}  // namespace proa::crypto

// The ciphers of keys in the configuration, byte for byte as upstream writes them
// (storage/value/encrypt).
#include <array>

#include "base/threads/mutex.h"
#include "crypto/cipher/aes.h"
#include "crypto/cipher/secretbox.h"
#include "encryption/providers/keyed_provider.h"

namespace proa::encryption {
namespace ciphers {

Status too_short() { return undecipherable("the stored data was shorter than the required size"); }

template <size_t Size>
std::string random_bytes(Random& random) {
  std::array<unsigned char, Size> bytes;
  random.fill(bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Random bytes for many values at once: each time is a system call. Thread-safe.
class Nonces {
 public:
  std::string next(Random& random) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (used_ == bytes_.size()) {
      random.fill(bytes_);
      used_ = 0;
    }
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + used_;
    used_ += crypto::kGcmNonceSize;
    return {begin, crypto::kGcmNonceSize};
  }

 private:
  Mutex mutex_;
  std::array<unsigned char, 64 * crypto::kGcmNonceSize> bytes_ GUARDED_BY(mutex_){};
  size_t used_ GUARDED_BY(mutex_) = bytes_.size();
};

// A random nonce for each value: a key is good for 2^32 of them (NIST SP 800-38D).
class AesGcm final : public Cipher {
 public:
  explicit AesGcm(std::string secret) : secret_(std::move(secret)), sealer_(secret_) {}

  void encrypt(std::string_view key, std::string_view plain, Random& random,
               std::string& out) const override {
    const std::string nonce = nonces_.next(random);
    out.append(nonce);
    sealer_.seal(nonce, key, plain, out);
  }
  Result<std::string> decrypt(std::string_view key, std::string_view data) const override {
    if (data.size() < crypto::kGcmNonceSize) return too_short();
    std::optional<std::string> plain = crypto::open_aes_gcm(
        secret_, data.substr(0, crypto::kGcmNonceSize), key, data.substr(crypto::kGcmNonceSize));
    if (!plain) return undecipherable("cipher: message authentication failed");
    return *std::move(plain);
  }

 private:
  const std::string secret_;
  mutable crypto::AesGcmSealer sealer_;
  mutable Nonces nonces_;
};

class AesCbc final : public Cipher {
 public:
  explicit AesCbc(std::string secret) : secret_(std::move(secret)) {}

  void encrypt(std::string_view, std::string_view plain, Random& random,
               std::string& out) const override {
    const std::string iv = random_bytes<crypto::kAesBlockSize>(random);
    const size_t padding = crypto::kAesBlockSize - plain.size() % crypto::kAesBlockSize;
    std::string blocks(plain);
    blocks.append(padding, static_cast<char>(padding));
    out.append(iv);
    crypto::encrypt_aes_cbc(secret_, iv, blocks, out);
  }
  Result<std::string> decrypt(std::string_view, std::string_view data) const override {
    if (data.size() < crypto::kAesBlockSize) return too_short();
    const std::string_view blocks = data.substr(crypto::kAesBlockSize);
    if (blocks.size() % crypto::kAesBlockSize != 0) {
      return undecipherable("the stored data is not a multiple of the block size");
    }
    std::string plain =
        crypto::decrypt_aes_cbc(secret_, data.substr(0, crypto::kAesBlockSize), blocks);
    const size_t padding = plain.empty() ? 0 : static_cast<unsigned char>(plain.back());
    if (padding == 0 || padding > plain.size()) {
      return undecipherable("invalid PKCS7 data (empty or not padded)");
    }
    const size_t size = plain.size() - padding;
    if (plain.find_first_not_of(plain.back(), size) != std::string::npos) {
      return undecipherable("invalid padding on input");
    }
    plain.resize(size);
    return plain;
  }

 private:
  const std::string secret_;
};

class Secretbox final : public Cipher {
 public:
  explicit Secretbox(std::string secret) : secret_(std::move(secret)) {}

  void encrypt(std::string_view, std::string_view plain, Random& random,
               std::string& out) const override {
    const std::string nonce = random_bytes<crypto::kSecretboxNonceSize>(random);
    out.append(nonce);
    crypto::seal_secretbox(secret_, nonce, plain, out);
  }
  Result<std::string> decrypt(std::string_view, std::string_view data) const override {
    if (data.size() < crypto::kSecretboxNonceSize + crypto::kSecretboxTagSize) return too_short();
    std::optional<std::string> plain =
        crypto::open_secretbox(secret_, data.substr(0, crypto::kSecretboxNonceSize),
                               data.substr(crypto::kSecretboxNonceSize));
    // Upstream's words, though they do not fit.
    if (!plain) return undecipherable("output array was not large enough for encryption");
    return *std::move(plain);
  }

 private:
  const std::string secret_;
};

}  // namespace ciphers

std::unique_ptr<Cipher> make_aes_gcm(std::string secret) {
  return std::make_unique<ciphers::AesGcm>(std::move(secret));
}

std::unique_ptr<Cipher> make_aes_cbc(std::string secret) {
  return std::make_unique<ciphers::AesCbc>(std::move(secret));
}

std::unique_ptr<Cipher> make_secretbox(std::string secret) {
  return std::make_unique<ciphers::Secretbox>(std::move(secret));
}

}  // namespace proa::encryption

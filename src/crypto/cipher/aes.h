#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/mutex.h"

// AES in the two modes that data on disk is encrypted with. REQUIRES, everywhere here: a key of a
// size that is_aes_key_size() accepts.

extern "C" struct evp_cipher_ctx_st;

namespace proa::crypto {

constexpr size_t kAesBlockSize = 16;
constexpr size_t kGcmNonceSize = 12;
constexpr size_t kGcmTagSize = 16;

bool is_aes_key_size(size_t bytes);

// Appends the ciphertext and its tag. `associated`: authenticated, but not encrypted. A nonce is
// used once for each key. REQUIRES: a nonce of kGcmNonceSize.
void seal_aes_gcm(std::string_view key, std::string_view nonce, std::string_view associated,
                  std::string_view plain, std::string& out);
// Nullopt if it was made with another key, nonce or associated data, or was changed. REQUIRES: a
// nonce of kGcmNonceSize.
std::optional<std::string> open_aes_gcm(std::string_view key, std::string_view nonce,
                                        std::string_view associated, std::string_view sealed);

// The same for a key with which much is sealed: it is scheduled once. Thread-safe.
class AesGcmSealer {
 public:
  explicit AesGcmSealer(std::string_view key);
  ~AesGcmSealer();

  void seal(std::string_view nonce, std::string_view associated, std::string_view plain,
            std::string& out) EXCLUDES(mutex_);

 private:
  using Context = std::shared_ptr<evp_cipher_ctx_st>;
  Context take() EXCLUDES(mutex_);
  void give_back(Context context) EXCLUDES(mutex_);

  const Context prepared_;  // has the key; never used itself
  Mutex mutex_;
  std::vector<Context> unused_ GUARDED_BY(mutex_);  // as many as threads sealed at once
};

// Whole blocks, without padding, and without authentication: whoever can change the result can
// change the text. REQUIRES: `iv` has one block, the text whole blocks.
void encrypt_aes_cbc(std::string_view key, std::string_view iv, std::string_view blocks,
                     std::string& out);
std::string decrypt_aes_cbc(std::string_view key, std::string_view iv, std::string_view blocks);

}  // namespace proa::crypto

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "encryption/config/configuration.h"
#include "encryption/providers/provider.h"

namespace proa::encryption {

// One key in one cipher, in the forms of upstream's transformers: the nonce comes first.
class Cipher {
 public:
  virtual ~Cipher() = default;
  virtual void encrypt(std::string_view key, std::string_view plain, Random& random,
                       std::string& out) const = 0;
  virtual Result<std::string> decrypt(std::string_view key, std::string_view data) const = 0;
};

// REQUIRES: secrets of a size that the cipher takes.
std::unique_ptr<Cipher> make_aes_gcm(std::string secret);
std::unique_ptr<Cipher> make_aes_cbc(std::string secret);
std::unique_ptr<Cipher> make_secretbox(std::string secret);

// Keys that are in the configuration itself: the name of the key follows the prefix. The first one
// encrypts.
class KeyedProvider final : public Provider {
 public:
  // `random` outlives it. REQUIRES: a kind with keys, and at least one of them.
  KeyedProvider(const ProviderConfiguration& configuration, Random& random);

  Result<void> encrypt(std::string_view key, std::string_view plain,
                       std::string& out) const override;
  Result<std::string> decrypt(std::string_view key, std::string_view data) const override;
  bool is_stale(std::string_view key, std::string_view data) const override;
  bool has_key(std::string_view name) const override;
  void distrust_names() override { names_suffice_ = false; }

 private:
  struct Key {
    std::string prefix;  // "key1:"
    std::unique_ptr<Cipher> cipher;
  };

  Random& random_;
  const std::string unmatched_;  // the failure if no name fits
  std::vector<Key> keys_;
  bool names_suffice_ = true;
};

}  // namespace proa::encryption

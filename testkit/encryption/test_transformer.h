#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "encryption/transformer.h"

namespace proa::testkit {

// Encrypts every value of a store as if it were a secret's, with real providers. The letters say
// which, the first one writes: 'a' and 'b' are keys of aesgcm, 'c' of aescbc, 's' of secretbox; '-'
// is identity.
class TestTransformer final : public store::ValueTransformer {
 public:
  explicit TestTransformer(const std::string& letters) {
    using Kind = encryption::ProviderConfiguration::Kind;
    encryption::ResourceConfiguration entry;
    entry.resources.push_back(encryption::GroupResource::parse("secrets"));
    for (const char letter : letters) {
      encryption::ProviderConfiguration provider;
      if (letter != '-') {
        provider.kind = letter == 'c'   ? Kind::kAesCbc
                        : letter == 's' ? Kind::kSecretbox
                                        : Kind::kAesGcm;
        provider.keys.push_back({std::string(1, letter), std::string(32, letter)});
      }
      entry.providers.push_back(std::move(provider));
    }
    made_ = *encryption::Transformer::make({{entry}}, metrics_, random_, nullptr);
  }

  Result<void> writable(std::string_view key) const override {
    return made_->writable(secret(key));
  }
  Result<bool> to_disk(std::string_view key, std::string_view value,
                       std::string& out) const override {
    return made_->to_disk(secret(key), value, out);
  }
  Result<std::optional<std::string>> from_disk(std::string_view key,
                                               const store::DiskValue& stored) const override {
    return made_->from_disk(secret(key), stored);
  }
  bool is_stale(std::string_view key, const store::DiskValue& stored) const override {
    return made_->is_stale(secret(key), stored);
  }

 private:
  static std::string secret(std::string_view key) { return "/registry/secrets" + std::string(key); }

  SystemClock clock_;
  SystemRandom random_;
  Metrics registry_;
  encryption::EncryptionMetrics metrics_{registry_, clock_, "test"};
  std::shared_ptr<const encryption::Transformer> made_;
};

}  // namespace proa::testkit

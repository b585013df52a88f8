#pragma once

#include <map>
#include <memory>

#include "base/threads/mutex.h"
#include "encryption/kms/kms_plugin.h"
#include "encryption/providers/provider.h"

namespace proa::encryption {

// Envelope encryption: each value has a key of its own, derived from a seed that a KMS encrypted
// and that stands with the value (upstream's HKDF_SHA256_XNONCE_AES_GCM_SEED). Writes never wait
// for the plugin; reads do so once for each seed.
class KmsProvider final : public Provider {
 public:
  KmsProvider(std::shared_ptr<KmsPlugin> plugin, EncryptionMetrics& metrics, Random& random)
      : Provider("k8s:enc:kms:v2:" + plugin->name() + ":"),
        plugin_(std::move(plugin)),
        metrics_(metrics),
        random_(random) {}

  Result<void> writable() const override { return plugin_->writable(); }
  Result<void> encrypt(std::string_view key, std::string_view plain,
                       std::string& out) const override;
  Result<std::string> decrypt(std::string_view key, std::string_view data) const override;
  bool is_stale(std::string_view key, std::string_view data) const override;

 private:
  // What the KMS makes of the envelope's source.
  Result<std::string> source_of(const EncryptedObject& object) const EXCLUDES(mutex_);

  const std::shared_ptr<KmsPlugin> plugin_;
  EncryptionMetrics& metrics_;
  Random& random_;
  mutable Mutex mutex_;
  mutable std::map<std::string, std::string> sources_ GUARDED_BY(mutex_);  // by cache_key_of
};

}  // namespace proa::encryption
